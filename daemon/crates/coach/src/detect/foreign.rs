//! Corrections in other languages than English.

use super::spot::regex;
use regex::Regex;
use std::sync::LazyLock;

/// How a correction begins or what it says, by language.
const CORRECTIONS: [(&str, &str); 8] = [
    (
        "German",
        r"(?:^|[.!?\n])\W*(?:\w+ ){0,2}(?:ab jetzt|ab sofort|von jetzt an|künftig|in zukunft)\b|^\W*(?:nein|nee|falsch|stopp?)\s*(?:[,.!]|$)|\bich (?:hatte |habe |hab )?(?:dir |doch )*(?:gesagt|sagte)\b|\bdas (?:ist|war) (?:falsch|nicht)|\bnicht (?:das|so)\s*[,.!]|\bhör auf\b|\bdas stimmt nicht\b|\bfalsche datei\b|\bnicht \S+, sondern\b",
    ),
    (
        "French",
        r"(?:^|[.!?\n])\W*(?:\w+ ){0,2}(?:dorénavant|désormais|à partir de maintenant)\b|^\W*(?:non|faux)\s*(?:[,.!]|$)|\bje (?:t'|te |vous )ai (?:déjà )?dit\b|\bj'ai (?:déjà )?dit\b|\bc'est (?:faux|pas)\b|\bpas (?:ça|comme ça)\b|\barr[êe]te de\b",
    ),
    (
        "Spanish",
        r"(?:^|[.!?\n])\W*(?:\w+ ){0,2}(?:de ahora en adelante|a partir de ahora)\b|^\W*(?:no,|incorrecto)|\b(?:ya )?te (?:dije|he dicho)\b|\beso no\b|\bas[ií] no\b|\best[aá] mal\b|\bdeja de\b",
    ),
    (
        "Portuguese",
        r"(?:^|[.!?\n])\W*(?:\w+ ){0,2}(?:de agora em diante|a partir de agora)\b|^\W*(?:não|nao|errado)\s*(?:[,.!]|$)|\b(?:já )?(?:eu )?te disse\b|\beu disse\b|\bassim não\b|\best[aá] errado\b|\bpar[ae] de\b",
    ),
    (
        "Italian",
        r"(?:^|[.!?\n])\W*(?:\w+ ){0,2}(?:d'ora in poi|da ora in poi)\b|^\W*(?:no,|sbagliato)|\bti (?:ho|avevo) (?:già )?detto\b|\bnon così\b|\b(?:è|e') sbagliato\b|\bsmettila\b|\bsmetti di\b",
    ),
    (
        "Russian",
        r"(?:^|[.!?\n])\W*(?:\w+ ){0,2}(?:отныне|впредь|с этого момента)\b|^\W*(?:нет|неправильно|неверно)\s*(?:[,.!]|$)|\bя (?:же )?(?:уже )?(?:говорил|сказал)а?\b|^\W*не так\b|\bпрекрати\b|\bхватит\b",
    ),
    (
        "Chinese",
        r"(?:^|[。！？\n])\s*(?:从现在(?:开始|起)|今后)|^\s*(?:不对|不是(?:这|那|的|[，,。!！])|错了|违背)|我(?:跟你)?说过|我已经说|不要再|别再|这不是我",
    ),
    (
        "Japanese",
        r"(?:^|[。！？\n])\s*(?:今後は|これからは)|^\s*(?:いいえ[、,。]|違う|違います|ちがう)|(?:それ|これ|そう)じゃない|そうではな|(?:って|と)言った(?:でしょ|はず|よ|のに)|と言いました|やめて(?:ください)?",
    ),
];

/// Words that make a "no" friendly.
const FRIENDLY: &str = r"\bdanke\b|\bpasst\b|\balles gut\b|\bmerci\b|\bça va\b|\bgracias\b|\best[aá] bien\b|\bobrigad[oa]\b|\btudo bem\b|\bgrazie\b|\bva bene\b|спасибо|всё хорошо|谢谢|没关系|没问题|不用了|大丈夫|ありがとう|結構です";

/// Returns the name of the language in which a text corrects.
pub(super) fn correction(text: &str) -> Option<&'static str> {
    static ALL: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
        let compiled = CORRECTIONS.iter();
        compiled
            .map(|(name, pattern)| (*name, regex(pattern)))
            .collect()
    });
    static IS_FRIENDLY: LazyLock<Regex> = LazyLock::new(|| regex(FRIENDLY));
    let (name, _) = ALL.iter().find(|(_, pattern)| pattern.is_match(text))?;
    (!IS_FRIENDLY.is_match(text)).then_some(*name)
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
