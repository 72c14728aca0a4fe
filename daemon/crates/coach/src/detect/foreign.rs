//! Corrections in other languages than English.

use crate::table::{lists, regex};
use regex::Regex;
use std::sync::LazyLock;

static LANGUAGES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let lists = lists(include_str!("foreign.txt")).into_iter();
    lists
        .map(|(name, alternatives)| (name, regex(&alternatives.join("|"))))
        .collect()
});

/// Returns the name of the language in which a text corrects; none for a friendly one.
pub(super) fn correction(text: &str) -> Option<&'static str> {
    let (name, _) = LANGUAGES
        .iter()
        .find(|(_, pattern)| pattern.is_match(text))?;
    (*name != "friendly").then_some(*name)
}

#[cfg(test)]
mod tests {
    use super::correction;

    #[test]
    fn corrections_are_told_from_friendly_answers_and_tasks() {
        for (language, corrections, others) in [
            (
                "German",
                &[
                    "Nein, nicht die Datei",
                    "ich habe dir doch gesagt, keine Umlaute",
                    "nicht npm, sondern pnpm",
                ][..],
                &[
                    "nein danke, alles gut",
                    "zeig mir das nicht verwendete Modul",
                    "was sagte der Test?",
                ][..],
            ),
            (
                "French",
                &[
                    "Non, pas celui-là",
                    "je t'ai dit de ne pas toucher au schéma",
                    "arrête de renommer",
                    "je souhaite désormais des réponses courtes",
                ],
                &[
                    "non merci, ça va",
                    "ajoute un test pour le cas non vide",
                    "le menu est désormais caché",
                ],
            ),
            (
                "Spanish",
                &[
                    "Te dije que no uses npm",
                    "eso no es lo que pedí",
                    "deja de añadir comentarios",
                ],
                &["no gracias, está bien", "comprueba que no haya errores"],
            ),
            (
                "Portuguese",
                &["Não, use o pnpm", "eu te disse para não mexer nisso"],
                &["não, obrigado", "verifica se não há erros"],
            ),
            (
                "Italian",
                &["No, non quello", "ti ho detto di non toccare lo schema"],
                &["no grazie, va bene", "controlla che non ci siano errori"],
            ),
            (
                "Russian",
                &["Нет, не так", "я же говорил, не трогай схему"],
                &["нет, спасибо", "проверь, что ошибок нет"],
            ),
            (
                "Chinese",
                &[
                    "我说过不要修改生成的文件",
                    "不对，应该用 pnpm",
                    "不要再改这个文件",
                ],
                &["不用了，谢谢", "请检查是否有错误", "没关系，继续"],
            ),
            (
                "Japanese",
                &[
                    "それじゃない",
                    "違います、pnpm を使って",
                    "npm は使わないでと言いました",
                ],
                &[
                    "いいえ、大丈夫です。そのまま進めて",
                    "エラーがないか確認してください",
                ],
            ),
        ] {
            for text in corrections {
                assert!(correction(text).is_some(), "{language}: {text}");
            }
            for text in others {
                assert_eq!(correction(text), None, "{language}: {text}");
            }
        }
    }
}
