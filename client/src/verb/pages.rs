//! Lists that the daemon returns in pages.

use crate::call::{Answer, written};
use crate::fields::Fields as _;
use crate::{Context, Failure};
use serde_json::Value;

/// Calls a method for page after page of its list, until one has fewer items than the limit in the parameters. Of a list
/// it takes the name, the member that identifies an item, and the parameter that continues after it.
pub(super) fn fetch_all(
    method: &str,
    params: &Value,
    (list, id, after): (&str, &str, &str),
    context: &Context,
) -> Result<Answer<Value>, Failure> {
    let mut whole = context.fetch(method, params)?;
    let mut len = whole.value.list(list).len() as u64;
    if len < params.number("limit") {
        return Ok(whole);
    }
    let mut params = params.clone();
    while len >= params.number("limit") {
        let last = whole.value.list(list).last();
        params[after] = last.map(|last| last[id].clone()).into();
        let mut page = context.fetch(method, &params)?.value;
        len = page.list(list).len() as u64;
        if let (Value::Array(all), Value::Array(more)) = (&mut whole.value[list], &mut page[list]) {
            all.append(more);
        }
    }
    whole.json = written(method, &whole.value)?;
    Ok(whole)
}
