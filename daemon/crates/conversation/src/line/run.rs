//! What a run used, as the last line of its stream says.

use super::usage::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelUse {
    /// Empty if the run names none.
    pub model: String,
    pub usage: Usage,
    /// US dollars, by whoever counted.
    pub cost_usd: Option<f64>,
    /// Only sub-agents used it, as far as messages say.
    pub is_sub: bool,
}

/// Returns what a run used, by model; older versions of Claude Code say it of all models together.
pub(super) fn run_used(
    by_model: Option<&RawValue>,
    usage: Option<Usage>,
    cost_usd: Option<f64>,
) -> Option<Vec<ModelUse>> {
    let is_said = by_model.is_some() || usage.is_some();
    let mut used = by_model.map(model_uses).unwrap_or_default();
    if let Some(usage) = usage.filter(|usage| used.is_empty() && *usage != Usage::default()) {
        used.push(ModelUse {
            usage,
            cost_usd,
            ..ModelUse::default()
        });
    }
    is_said.then_some(used)
}

fn model_uses(raw: &RawValue) -> Vec<ModelUse> {
    let all: Value = serde_json::from_str(raw.get()).unwrap_or_default();
    let members = all.as_object().into_iter().flatten();
    let model_use = |(model, value): (&String, &Value)| {
        let count = |name: &str| value[name].as_u64().unwrap_or(0);
        ModelUse {
            model: model.clone(),
            usage: Usage {
                input_tokens: count("inputTokens"),
                output_tokens: count("outputTokens"),
                cache_creation_input_tokens: count("cacheCreationInputTokens"),
                cache_read_input_tokens: count("cacheReadInputTokens"),
                web_search_requests: count("webSearchRequests"),
                ..Usage::default()
            },
            cost_usd: value["costUSD"].as_f64(),
            is_sub: false,
        }
    };
    members.map(model_use).collect()
}
