//! Words that are shouted, and words of frustration.

use super::spot::{regex, word_set};
use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Words of frustration that the list of patterns does not have.
pub(super) static FRUSTRATION: LazyLock<Regex> = LazyLock::new(|| {
    regex(concat!(
        r"\?!|!!+\?|\b(?-i:NO\W+NO\W+NO)\b|\bwtf\b|\bffs\b|\bomfg\b|\bfor (?:god|fuck|christ|heaven|pete|goodness|crying)\S* sake\b|\bfor crying out loud\b|",
        r"\b(?:what|why|how) the (?:hell|heck|fuck|f)\b|\bwhat on earth\b|\bare you (?:kidding|serious|joking|even (?:listening|reading|trying)|blind|deaf|insane|stupid)\b|",
        r"\b(?:a+r+gh+|aa+rgh*|u+gh+|gr+r|gah|jesus(?: christ)?|oh my god|my god|good grief)\b|^\W*seriously\s*[?!,.]|\bseriously\?|\bthis (?:is|has become|is getting) (?:so |really |just |getting |absolutely |beyond |completely )*",
        r"(?:ridiculous|absurd|insane|unacceptable|infuriating|frustrating|annoying|a joke|driving me|garbage|terrible|hopeless|useless|a waste|unbelievable|nonsense|stupid|crazy|maddening|exhausting|a nightmare|a mess|awful|horrible|pathetic)|",
        r"\bdriv(?:ing|es) me (?:crazy|mad|insane|nuts|up the wall)\b|\b(?:i'?m|i am|i'?ve|i have)(?: so| really| getting| very| had| quite| pretty| beyond)* (?:tired of|sick of|sick and tired|fed up|frustrated|annoyed|losing (?:my )?(?:patience|mind)|done with (?:this|you)|angry|furious|had enough|had it with|enough of)\b|",
        r"\bfuck(?:ing|ed)?\b|\bshit(?:ty)?\b|\bbullshit\b|\bdamn ?it\b|\bgod ?damn|\bcrap\b|\bidiot\w*\b|\bmoron\w*\b|\bstupid (?:bot|ai|thing|machine|tool|assistant)\b|",
        r"\bthis is (?:now |already )?(?:the |my )(?:second|third|fourth|fifth|sixth|tenth|hundredth|thousandth|millionth|umpteenth|\d+(?:nd|rd|th)) time\b|(?:^|[.!,]\s*)for the (?:third|fourth|fifth|tenth|hundredth|millionth|umpteenth|nth|\d+(?:rd|th)) time\b|",
        r"\bcome on\s*[,!.]|\bi(?:'ve| have)? (?:told|asked|said|repeated|explained)\b.{0,40}\b(?:times|repeatedly|over and over)\b|\bonce and for all\b|\bunbelievable\b|\bpathetic\b|\bhow (?:hard|difficult) (?:is it|can it be|can this be)\b|",
        r"\bnothing (?:you do|here) (?:ever )?works\b|\btime i'?m (?:asking|telling|saying)\b|\bwhat is wrong with you\b|\bdo you even\b|\bhow often (?:do|must) i\b|\brepeat(?:ing)? myself\b|\bi keep (?:telling|asking|saying|repeating)\b|^\W*(?:useless|terrible|awful|pathetic|come on|seriously|ridiculous|unbelievable|horrible)\W*$|\bdisappoint(?:ed|ing)\b|\bwhat (?:have you done|are you doing)\s*[?!]|\bcan(?:'t you| you not) (?:even |just )?(?:read|follow|listen|understand)\b|\byou never listen\b|\bwast(?:e|ing) (?:of )?my (?:time|day)\b|\bwasted (?:\w+ )?(?:hours?|my)\b|\bjust do (?:it|what i)\b|\bhow is this so hard\b|\bgetting (?:really )?annoyed\b|\bstop wasting\b|\babsolutely useless\b|\byou(?:'re| are) (?:so |completely |absolutely )?useless\b",
    ))
});

/// Words that nobody writes in capitals but for emphasis. Not among them: abbreviations, log levels, HTTP methods, words
/// of SQL and of requirements (SHOULD, REQUIRED), values (TRUE, NONE), and marks such as TODO and NOTE.
static ORDINARY: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    word_set(
        "ABSOLUTELY AGAIN ALL ALREADY ALWAYS ANY ANYTHING ARE ASKED BAD BECAUSE BEEN BEFORE BOTH BROKE BROKEN BUT \
         CANNOT CANT CHANGE CHANGED COMPLETELY COULD DELETED DELETING DID DIDNT DOES DOESNT DOING DONT EACH EDITED \
         ENOUGH ENTIRE EVEN EVER EVERY EVERYTHING EXACT EXACTLY EXISTING FIRST FIVE FOUR HATE HAVE HAVENT HER HERE \
         HIS HOW HOURS IGNORE IGNORED IMMEDIATELY INSTEAD ISNT ITS JUST KEEP KEEPS LEAVE LISTEN LITERALLY LOOK MADE \
         MANY MINE MORE MOST MUST NEED NEVER NOBODY NOT NOTHING NOW ONCE ONLY OTHER OUR OWN PLEASE REALLY REMOVED \
         REMOVING SAID SAME SECOND SERIOUSLY SHOULDNT SIMPLE SINGLE SOMETHING STILL STOP TERRIBLE THAT THATS THE \
         THEIR THEM THERE THESE THEY THING THINGS THINK THIRD THIS THOSE THREE TIME TIMES TODAY TOLD TOO TOUCH \
         TOUCHED TWICE USED USING VERY WAIT WANT WANTED WAS WASNT WERE WHAT WHEN WHERE WHICH WHO WHOLE WHY WILL \
         WITHOUT WONT WORK WORKED WORKING WORKS WORSE WOULD WRONG YESTERDAY YOU YOUR YOURE",
    )
});

const STRESSED: [&str; 5] = ["ALL", "ANY", "BOTH", "EACH", "EVERY"];

/// Returns the words of at least three capitals that are emphasis.
/// Of a text that is mostly in capitals these are all, unless it looks like a list of names or a query.
pub(super) fn capital_words(text: &str) -> Vec<&str> {
    static QUERY: LazyLock<Regex> = LazyLock::new(|| {
        // With regard to case: only a query is written like this.
        Regex::new(r"\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP|JOIN|GROUP BY|ORDER BY|ON CONFLICT)\b")
            .unwrap_or_else(|error| unreachable!("{error}"))
    });
    if QUERY.is_match(text) {
        return Vec::new();
    }
    let words: Vec<&str> = text.split_whitespace().filter_map(plain_word).collect();
    let capitals: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| is_shouted(word))
        .collect();
    let ordinary = |word: &&str| ORDINARY.contains(word.replace('\'', "").as_str());
    let long = capitals.iter().copied().filter(|word| letters(word) >= 3);
    let is_mostly_shouted =
        capitals.len() * 2 > words.len() && capitals.len() >= 2 && capitals.iter().any(ordinary);
    if is_mostly_shouted {
        long.collect()
    } else {
        let names = names_in_capitals(text);
        let shouted: Vec<&str> = long
            .filter(|word| ordinary(word) && !names.contains(word))
            .collect();
        // One such word in an instruction stresses what is meant: "show ALL metadata blobs".
        match shouted[..] {
            [word] if STRESSED.contains(&word) && !text.contains('!') => Vec::new(),
            _ => shouted,
        }
    }
}

/// Returns words in capitals that are named and not shouted: "WHERE and HAVING", "the NOT operator", "presses STOP".
fn names_in_capitals(text: &str) -> HashSet<&str> {
    // With regard to case, but for the words around.
    static NAMED: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            r"\b([A-Z]{2,})(?:,? (?:and|or|vs\.?)|,|/| &) ?([A-Z]{2,})\b|",
            r"\b([A-Z]{2,}) (?:clause|operator|gate|keyword|statement|constraint|button|key|signal|screen|command|state|mode|caps|flag|column|query|label|event)s?\b|",
            r"\b(?:press|presses|pressed|click|clicks|clicked|hit|hits|send|sends|type|types|reads?|says?|say|called|named|keyword|label|labelled|labeled) ([A-Z]{2,})\b|",
            r"\b(?:THE|ALL) (?:END|CAPS|RIGHTS)\b",
        );
        Regex::new(pattern).unwrap_or_else(|error| unreachable!("{error}"))
    });
    let is_ordinary = |word: &str| ORDINARY.contains(word);
    let mut names = HashSet::new();
    for found in NAMED.captures_iter(text) {
        let words: Vec<&str> = found
            .iter()
            .skip(1)
            .flatten()
            .map(|word| word.as_str())
            .collect();
        match words[..] {
            // Two words that are both shouted are no names: "NEVER, EVER".
            [one, other] if is_ordinary(one) && is_ordinary(other) => {}
            [] => names.extend(["THE", "ALL"]),
            _ => names.extend(words),
        }
    }
    names
}

/// Returns the word of a token without punctuation; none for paths, names with underscores or digits, and the like.
fn plain_word(token: &str) -> Option<&str> {
    let word = token.trim_matches(|character: char| !character.is_alphanumeric());
    let is_plain = !word.is_empty()
        && word
            .chars()
            .all(|character| character.is_alphabetic() || character == '\'');
    let around = token.replace(word, "");
    (is_plain && !around.contains(['_', '/', '\\', '<', '>', '=', '$', '@', '#', '[', '{']))
        .then_some(word)
}

fn is_shouted(word: &str) -> bool {
    letters(word) >= 2
        && word
            .chars()
            .all(|character| character.is_uppercase() || character == '\'')
}

fn letters(word: &str) -> usize {
    word.chars()
        .filter(|character| character.is_alphabetic())
        .count()
}
