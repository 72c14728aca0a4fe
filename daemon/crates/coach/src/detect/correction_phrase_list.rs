//! The list of phrasings. The first that fits counts.

use super::correction_guards::{is_prohibition, is_rejection};
use super::correction_phrases::{
    About, Phrase, is_contrast, is_denial, is_missed_deed, is_order, is_rejected_choice,
    is_reproach, is_reproachful_question, is_request_not_to, is_stated, is_unwanted,
    is_written_out_prohibition, starts_clause,
};
use super::spot::regex;
use std::sync::LazyLock;

/// What an assistant does that somebody forbids it.
const DEEDS: &str = "use|commit|push|edit|touch|change|delete|remove|run|add|write|create|modify|merge|rebase|put|hard-?code|call|import|assume|do|\
     make|rename|mock|skip|force|ignore|log|store|expose|install|amend|squash|guess|invent|generate|return|trust|rely|catch|swallow|leave|send|print|ask|break|update|upgrade|throw|block|\
     reformat|disable|bypass|deploy|mix|start|open|copy";

/// What makes an order hold for good.
const FROM_NOW_ON: &str = "(?:from (?:now|here) on|going forward)";

/// Words with which such an order starts.
const ORDERS: &str = "never|always|only|don'?t|do not|avoid|stop|keep|prefer|answer|reply|respond|speak|follow|show|tell|name|save|format|comment|\
     use|commit|push|run|add|write|create|put|call|make|ask|check|test|document|update|confirm|i want you to";

/// Things that can be the wrong ones.
const THINGS: &str = "file|files|branch|directory|folder|dir|one|ones|place|repo|repository|function|method|table|database|db|column|line|module|package|\
     version|port|approach|way|language|path|project|component|class|test|tests|environment|env|server|command|order|name|field|format|variable|\
     endpoint|config|key|spot|section|page|button|type|thing|framework|library|account|cluster|bucket|commit|pr|issue|ticket|rows?|end|direction";

pub(super) static PHRASES: LazyLock<Vec<Phrase>> = LazyLock::new(|| {
    let about = |about, name, pattern: &str, guard| Phrase {
        name,
        regex: regex(pattern),
        guard,
        about,
    };
    let phrase = |name, pattern: &str, guard| about(About::Work, name, pattern, guard);
    let reproach = |name, pattern: &str, guard| about(About::Past, name, pattern, guard);
    vec![
        phrase("nope", r"\b(?:nope|nah|naw|noo+)\b", is_rejection),
        phrase(
            "undo that",
            r"^\W*(?:undo|revert|roll\s?back)(?: please| pls)?\W*$|\b(?:undo|revert|roll\s?back|discard|take back)\s+(?:that|this|it|these|those|them|all of (?:that|it|this|them)|everything|all (?:your|the|those|these) changes|your|what you|the (?:last|previous|latest) (?:change|edit|step)s?|(?:all |the |those |these )*(?:changes?|edits?|commits?|files?) (?:that )?you)\b|\bundo the (?:last|previous|latest) commits?\b|\b(?:remove|delete|drop) (?:the|those|these|that) [\w•-]+ (?:that )?you (?:just )?(?:added|made|created|wrote)\b",
            is_order,
        ),
        phrase(
            "put it back",
            r"\b(?:put|change|turn|bring|switch|move|set|roll) (?:it|that|this|them|those|everything) back\b|\brestore (?:it|that|what you)\b|\bgo back to (?:the (?:previous|old|original|last)|what we had|how it was|my)\b",
            is_order,
        ),
        phrase(
            "wrong one",
            &format!(
                r"(?:\b(?:that'?s|that is|this is|it'?s|it is|still|again)\s+)*(?:\b(?:the|a)\s+)?\bwrong (?:{THINGS})\b"
            ),
            |spot| spot.starts_clause() && !spot.is_conditional(),
        ),
        phrase(
            "you … the wrong",
            r"\byou(?:'re| are|'ve| have)?\b[^.?!\n,]{1,60}\b(?:the|a|into) wrong\b",
            |spot| is_reproach(spot) || !spot.is_conditional() && spot.before.trim().is_empty(),
        ),
        phrase(
            "wrong",
            r"\b(?:wrong|incorrect|false)(?: again)?(?:\s*[.,!:]|$)|\b(?:absolutely|definitely|certainly) not\b",
            // "visible: false" is printed by a program.
            |spot| spot.starts_clause() && !spot.before.trim_end().ends_with(':'),
        ),
        phrase(
            "that is wrong",
            r"\b(?:that|this|it|which)(?:'?s| is| was| looks| are)(?: still| also| completely| totally| just| simply| all| plain)* (?:incorrect|wrong|false|not true|backwards|the opposite)\b",
            |spot| is_stated(spot) && !spot.is_question(),
        ),
        phrase(
            "that is not",
            r"\b(?:that|this|it|these|those)(?:'?s not| is not| isn'?t| was not| wasn'?t| are not| aren'?t)(?: really| at all| quite| even)* (?:what (?:i|we)|how|right|correct|true|the (?:right|correct|point|one|way i)|it\b|where|my|acceptable|good enough|allowed)",
            is_denial,
        ),
        reproach(
            "I told you",
            r"\bi(?:'ve| have| had)?(?: already| just| clearly| explicitly| specifically| literally| even| only)* (?:told you|asked you (?:to|for|not)|instructed you)\b|\bi keep (?:telling|asking|reminding) you\b|\ball i (?:wanted|asked for)\b|\bi (?:just|only) (?:wanted|asked)\b",
            |spot| {
                !spot.is_conditional()
                    && !spot.after.trim_start().to_lowercase().starts_with("about")
            },
        ),
        reproach(
            "I already said",
            r"\bi(?:'ve| have)? (?:already|explicitly|specifically|clearly|just|literally) (?:said|asked|mentioned|explained|wrote|specified|requested)\b|\b(?:as|like) i (?:already )?(?:mentioned|explained|told you|wrote)\b|\bi mentioned (?:earlier|before|already|that)\b|\bi thought we (?:had )?agreed\b|^\W*(?:but )?we (?:already )?(?:said|agreed)\b|\bwe (?:have |'ve )?already (?:discussed|agreed on|talked about) (?:this|that|it)\b|\b(?:didn'?t|did not|haven'?t) i (?:just |already )?(?:tell|told|say|said|ask|asked)\b",
            is_stated,
        ),
        phrase(
            "I asked for",
            r"\bi (?:asked|was asking) (?:for|about)\b|\bi wanted\b[^.?!\n]{1,60}\bnot\b",
            |spot| !spot.is_conditional() && !spot.is_question(),
        ),
        reproach(
            "I didn't ask",
            r"\bi (?:did not|didn'?t|never) (?:ask|asked|say|said|told|tell|request|requested|mean that|mean the|want (?:you|that|this|it|a|the)|approve|approved|agree to)\b",
            |spot| !spot.is_conditional(),
        ),
        phrase(
            "I don't want",
            r"\bi (?:don'?t|do not) (?:want (?:you to|that|this|it\b|another|(?:any|more|new|extra|a|an)\b)|need (?:any|a|an|another|more)\b|(?:want|need) (?:\w+ ){1,2}(?:here|there|in (?:the |my |this |our )?(?:\w+ )?(?:code|commits?|files?|tests?|diff|repo|docs?))\b)",
            is_unwanted,
        ),
        reproach(
            "you did wrong",
            r"\byou(?:'ve| have)?(?: still| also| again| just| completely| totally| clearly| accidentally| already| even| now| obviously| apparently| simply| constantly| always)* (?:forgot|forgotten|missed|ignored|broke|broken|overwrote|overwritten|deleted|removed|renamed|misunderstood|misread|skipped|messed up|screwed|ruined|dropped|duplicated|hallucinated|made (?:it|this|that|everything) worse|made (?:that|this|it) up|invented|lost|confused|mixed up|reverted|touched|forget|ignore|break|miss|do this|do that|got (?:it|that|this|the \w+) wrong)\b",
            is_reproach,
        ),
        reproach(
            "you keep",
            r"\byou (?:keep|kept) (?:on )?\w+ing\b|\byou(?:'re| are) still \w+ing\b|\byou(?:'re| are)(?: still| again| just| completely)* (?:wrong|not listening|ignoring|mistaken|missing the point|over-?complicating|over-?engineering|going in circles|changing|deleting|editing|breaking|guessing|making (?:this|that|it|things) up|doing it again|hallucinating|not supposed)\b",
            |spot| !spot.is_conditional(),
        ),
        reproach(
            "you were supposed to",
            r"\byou(?: were| weren'?t| were not| aren'?t| are not| are|'re) (?:not )?supposed to\b|\b(?:that|this|which) was(?:n'?t| not)? supposed to\b|\byou (?:shouldn'?t|should not|must not|mustn'?t) \w+",
            |spot| !spot.is_conditional(),
        ),
        reproach(
            "you did not",
            r"\byou (?:clearly |obviously |apparently |really |still |even |simply )*(?:did not|have not|haven'?t|still haven'?t|never|did nothing|failed to)\s+\w+|\byou (?:clearly|obviously|apparently|really|still|even|simply) didn'?t\s+\w+",
            is_missed_deed,
        ),
        reproach(
            "why are you",
            r"\bwhy (?:are|were|have|did|didn'?t|did not|haven'?t|would|isn'?t|the (?:hell|heck|fuck) (?:did|are|would)) you\b|\bwhy do you (?:keep|always|still|insist|never|change|add|remove|delete|ignore)\b|\bwhy you \w+ed\b",
            is_reproachful_question,
        ),
        phrase(
            "I mean",
            r"\bi mean,? (?:the|that|this|a|in|on|your|my)\b",
            starts_clause,
        ),
        phrase(
            "not convinced",
            r"\bi (?:don'?t|do not) think (?:that'?s|that is|this is|it'?s|it is|that|this) (?:is |right|correct|true|what|how|it\b|the right)|\bi (?:don'?t|do not) think you (?:understood|understand|got|read)\b|\b(?:that|this|it) (?:doesn'?t|does not) look (?:right|correct)\b|\b(?:that|this)(?:'s| is) (?:not a good|a bad|a terrible|not a great) idea\b",
            is_stated,
        ),
        phrase(
            "your work is wrong",
            r"\byour \w+(?: \w+)? (?:is|are|was) (?:still |also |completely )?(?:wrong|incorrect|not right|not correct|outdated)\b|\byou (?:used|wrote|added|made|gave|created|set|put|picked|chose)\b[^.?!\n]{0,20} (?:is|are) (?:wrong|incorrect)\b|\byou (?:changed|did|added|removed|wrote|deleted) (?:too much|way too|more than|things i)\b|\byou (?:can'?t|cannot) just\b|\b(?:that|this|these|those) should(?:n'?t| not) (?:be (?:there|here|in the|on the)|have)\b",
            |spot| is_stated(spot) && !spot.word.to_lowercase().contains(" skill"),
        ),
        reproach(
            "who told you",
            r"\bwho (?:told|asked) you to\b",
            starts_clause,
        ),
        phrase(
            "never do",
            &format!(r"\bnever (?:ever |again )?(?:{DEEDS})\b"),
            |spot| spot.starts_clause() && is_prohibition(spot),
        ),
        phrase(
            "we never",
            &format!(
                r"\bwe never (?:{DEEDS})\b|\bwe (?:don'?t|do not) (?:{DEEDS})\b[^.?!\n]{{0,60}}\b(?:here|anymore|in this (?:repo|repository|project|team|code ?base|company))\b"
            ),
            |spot| spot.starts_clause() && !spot.is_question(),
        ),
        phrase(
            "no such thing please",
            r"\bno [\w•-]+(?: [\w•-]+){0,4} (?:please|pls|plz)\b",
            |spot| spot.starts_clause() && !spot.is_question(),
        ),
        phrase(
            "too much",
            r"^\W*(?:(?:that|this|it)(?:'s| is) )?(?:way |far |a bit |much )?too (?:verbose|wordy|complicated|complex|clever)\b|^\W*(?:that|this|it)(?:'s| is) (?:way |far )?too much\s*(?:[,.!:]|$)",
            |spot| !spot.is_question(),
        ),
        phrase("do not", r"\bdo not\b", is_written_out_prohibition),
        about(About::SeenWork, "DO NOT", r"\bdo not\b", is_prohibition),
        phrase(
            "instead of",
            r"\brather (?:use|take|put|make)\b|\binstead of [^.?!\n]{1,50}?,? (?:please |just |we |you should |always )*(?:use|take|prefer|go with)\b",
            |spot| spot.starts_clause() && !spot.is_question(),
        ),
        reproach(
            "once more",
            r"^\W*(?:once )?again ?[:–—]|\b(?:(?:this|that|it)(?:'s| is) (?:now |already )?the )?(?:third|fourth|fifth|tenth|nth|umpteenth|hundredth) time (?:that )?you\b|\bfor the (?:second|third|fourth|fifth|tenth|nth|umpteenth|hundredth|\d+(?:nd|rd|th)) time ?[:,–—]",
            starts_clause,
        ),
        phrase(
            "only what I said",
            r"\bonly (?:change|edit|touch|do|modify|fix|update|use|rename|replace|move|add|remove|delete|the)\b[^.?!\n]{1,60}\bi (?:mentioned|asked|said|told|named|marked|listed)\b",
            starts_clause,
        ),
        phrase(
            "could you not",
            r"\b(?:can|could|would) you (?:please |just )*not (?:\w+)?",
            is_request_not_to,
        ),
        reproach(
            "from now on",
            &format!(
                r"\b{FROM_NOW_ON}[,:]? (?:please |just |also |i want you to |you should |you must )*(?:{ORDERS})\b|\b(?:{ORDERS})\b[^.?!\n]{{2,120}} {FROM_NOW_ON}\b"
            ),
            |spot| {
                let starts = spot.word.to_lowercase();
                let is_first = starts.starts_with("from") || starts.starts_with("going");
                let is_asked = spot.is_question()
                    && !spot
                        .sentence_after()
                        .trim_end()
                        .to_lowercase()
                        .ends_with("ok");
                (is_first || spot.starts_clause()) && !is_asked
            },
        ),
        about(
            About::SeenWork,
            "use it",
            r"^\W*(?:(?:please|just|again)\W+)*use (?:•|[a-z][\w./-]*(?: [\w./-]+)?)\s*(?:[.!]|$)",
            |spot| !spot.is_question(),
        ),
        phrase("let's not", r"\blet'?s not\b", |spot| {
            spot.starts_clause()
                && !spot.after.starts_with(" forget")
                && !spot.after.starts_with(" worry")
        }),
        phrase(
            "quit it",
            r"\bquit (?:it|that|\w+ing)\b|\bcut (?:it|that) out\b|\bknock it off\b|\benough with\b|\bno more \w+s\b|\bhands off\b|\brefrain from\b|\bstart over\b|\bcorrection:|\bnext time,? (?:please )?(?:ask|use|run|check|read|tell|wait|make|do)\b|\b(?:it'?s |it is )?the other way a?round\b|\bstay (?:out of|away from)\b",
            starts_clause,
        ),
        phrase(
            "not that",
            r"^\W*not\b[^.?!,\n]{1,40}[.,] (?:the|a|in|use)\b|\bnot (?:there|here|like (?:that|this)|these|those|this|that|the (?:other|old|new|first|second|whole|entire)|in|on|into)\b",
            is_rejected_choice,
        ),
        phrase(
            "what we do here",
            r"\bwe (?:use|write|put|name|keep|prefer|call|always|never|don'?t)\b[^?.!\n]{2,60}\b(?:in|for) this (?:repo|repository|project|codebase|package)\b",
            starts_clause,
        ),
        reproach(
            "that broke it",
            r"\b(?:that|this|it)(?: just| has| have)? (?:broke|broken) (?:the|my|our|all|every)\b",
            is_reproach,
        ),
        phrase(
            "leave it alone",
            r"\b(?:leave|keep) (?:it|that|this|them|the [\w•-]+(?: [\w•-]+)?|my [\w•-]+|[\w•/-]+\.\w+|•|everything|those)(?: else)? (?:alone|as (?:it|they) (?:is|was|are|were)|as-is|untouched|unchanged|the way)\b|\bleave (?:it|them|that|those|the [\w•-]+) out\b",
            is_order,
        ),
        phrase(
            "X, not Y",
            r"\b(?:use|put|call|name|run|place|make it|we use|we need|it'?s|it is|it should \w+|they'?re|i (?:want|need|asked for|said|meant|wanted))\b[^.?!,\n]{1,50}(?:,| and) not (?:•|\w+\b)|\b(?:use|put|it should \w+|i (?:want|need|meant|asked for))\b[^.?!,\n]{1,50} not (?:in|on|at|the|a|an)\b|^\W*(?:(?:no|i need|i want|it'?s|it is|use|i said|i wanted)\W+)\S+ not \S+\W*$|^\W*[\w•./-]+(?: [\w•./-]+)?, not (?:the |a |an )?[\w•./-]+\W*$|^\W*(?:[\w•./-]+ ){1,5}(?:(?:should be|must be|goes|lives|belongs|(?:is|are) (?:in|on|at|for|under|called|named)) (?:[\w•./-]+ ?){1,3}, not|(?:is|are) [\w•./-]*[\d•_/][\w•./-]*, not) (?:[\w•./-]+ ?){1,3}[.!]*$",
            is_contrast,
        ),
        phrase(
            "actually",
            r"\bactually\b[^.?!\n]{1,80}\b(?:instead|rather than)\b|\bactually,? (?:please |just )*(?:keep|leave|use|put|make it|go back|revert|undo)\b|\bi(?:'d| would) (?:rather|prefer(?: that| if)?) you\b",
            starts_clause,
        ),
        reproach(
            "still wrong",
            r"\bstill (?:wrong|incorrect|not right|not what|the wrong)\b|\bsame mistake\b|\bdid(?:n'?t| not) (?:listen|read)\b|\b(?:read|re-?read) (?:what i|my (?:message|instructions?|prompt|last))\b|\bfollow (?:my|the) instructions\b|\bmissed the point\b",
            is_stated,
        ),
    ]
});
