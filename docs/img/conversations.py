"""Writes made-up transcripts of Claude Code below a directory, for pictures: conversations.py DIRECTORY. Prints the session id of the longest."""

import datetime
import json
import os
import sys
import uuid

NOW = datetime.datetime.now(datetime.timezone.utc).replace(hour=9, minute=12, second=0, microsecond=0)
MODEL = "claude-opus-4-5-20251101"

PROJECTS = ["shop", "parser", "blog", "infra"]
TITLES = [
    ("Prices in cents", "Store all prices in cents instead of floats, and migrate the existing rows.",
     "All prices are in cents now. The migration converts existing rows, and the tests pass."),
    ("Flaky parser test", "tests/parser.rs fails about once in fifty runs. Find out why.",
     "The test read the clock twice. It reads it once now, and 2,000 runs passed."),
    ("Filter orders by date", "Let the order list be filtered by date, from and to.", "Both dates are optional, and the list is sorted by date."),
    ("Terraform state lock", "terraform apply says that the state is locked. What holds it?", "An aborted run held the lock; I removed it after checking."),
    ("Draft about backups", "Write a first draft about our backups for the blog.", "The draft is in posts/backups.md, about 600 words."),
    ("Review of the import", "Review the import before I merge it.", "Two things: a file without a header is skipped silently, and dates have no zone."),
    ("Slow search", "Searching takes four seconds with 10,000 posts. Make it fast.", "An index on the words: 30 ms now."),
    ("Unicode names", "Names with accents are sorted last.", "They are sorted by the collation of the locale now."),
]
COMMANDS = ["ls docs", "rg -n price src", "cargo test", "git log --oneline -5"]


class Transcript:
    """A conversation that is written record by record; the clock moves with each."""

    def __init__(self, number, project, branch, start):
        self.session = str(uuid.uuid5(uuid.NAMESPACE_URL, f"conversation {number}"))
        self.project, self.branch, self.clock = project, branch, start
        self.records, self.parent, self.calls = [], None, 0

    def add(self, message, seconds, **more):
        self.clock += datetime.timedelta(seconds=seconds)
        number = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.session} {len(self.records)}"))
        self.records.append({
            "parentUuid": self.parent, "isSidechain": False, "cwd": f"/home/ann/{self.project}", "sessionId": self.session,
            "version": "2.1.330", "gitBranch": self.branch, "type": message["role"], "message": message, "uuid": number,
            "timestamp": self.clock.isoformat(timespec="milliseconds").replace("+00:00", "Z"), **more})
        self.parent = number

    def prompt(self, text, seconds=0):
        self.add({"role": "user", "content": text}, seconds)

    def says(self, content, seconds, output):
        usage = {"input_tokens": 300 + output, "output_tokens": output, "cache_creation_input_tokens": 2_000 + 5 * output,
                 "cache_read_input_tokens": 14_000 + 900 * len(self.records)}
        self.add({"id": f"msg_{self.session[:8]}{len(self.records)}", "role": "assistant", "model": MODEL, "content": [content], "usage": usage}, seconds)

    def thinks(self, text):
        self.says({"type": "thinking", "thinking": text, "signature": ""}, 3, 60)

    def answer(self, text, output=180):
        self.says({"type": "text", "text": text}, 5, output)

    def call(self, tool, given, result, seconds=2, is_error=False, details=None):
        self.calls += 1
        call = f"toolu_{self.session[:8]}{self.calls}"
        self.says({"type": "tool_use", "id": call, "name": tool, "input": given}, 4, 90)
        block = {"type": "tool_result", "tool_use_id": call, "content": result, **({"is_error": True} if is_error else {})}
        self.add({"role": "user", "content": [block]}, seconds, **({"toolUseResult": details} if details else {}))

    def title(self, text):
        self.records.append({"type": "summary", "summary": text, "leafUuid": self.parent})

    def write(self, directory):
        folder = os.path.join(directory, f"-home-ann-{self.project}")
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"{self.session}.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in self.records)
        os.utime(path, times=(self.clock.timestamp(),) * 2)


def small(number):
    title, prompt, answer = TITLES[number % len(TITLES)]
    start = NOW - datetime.timedelta(hours=7 + 8 * number + 3 * (number % 3))
    talk = Transcript(number, PROJECTS[(number * 5 + number // 3) % len(PROJECTS)], "main", start)
    talk.prompt(prompt)
    for step in range(6 + number * 7 % 9):
        command = COMMANDS[(step * 3 + number) % len(COMMANDS)]
        talk.call("Bash", {"command": command}, "ok", 20, is_error=step == number % 5)
        talk.answer("Next.", 400 + number * 37 % 300)
    talk.answer(answer, 900)
    talk.title(title)
    return talk


def invoice():
    talk = Transcript("invoice", "shop", "fix/rounding", NOW)
    talk.prompt("The invoice for order 4711 shows **€ 19.98** but the customer was charged € 19.99. Find out why and fix it. "
                "Don't touch the payment provider's client, they review that themselves.")
    talk.thinks("The user reports a difference of one cent between invoice and charge. Probably rounding per line vs. rounding of the sum.")
    talk.answer("I'll start with the code that computes the total and compare it with what goes to the payment provider.", 60)
    source = "pub fn total(&self) -> Cents {\n    self.lines.iter().map(|line| Cents(line.gross().floor() as i64)).sum()\n}\n"
    talk.call("Read", {"file_path": "/home/ann/shop/src/invoice.rs"}, source)
    talk.call("Read", {"file_path": "/home/ann/shop/src/payment.rs"}, "// sum of all lines, to the nearest cent\n")
    talk.call("Grep", {"pattern": "Cents\\(", "path": "src"}, "src/invoice.rs:41\nsrc/payment.rs:17")
    talk.call("Bash", {"command": "cargo test invoice", "description": "Run the invoice tests"}, "running 6 tests\ntest result: ok. 6 passed", 4)
    talk.answer("The tests pass because none of them has **two lines with a fractional VAT**. The cause:\n\n"
                "| where | what is rounded | order 4711 |\n|---|---|---:|\n| `invoice.rs` | each line, *down* | 19.98 |\n"
                "| `payment.rs` | the sum, to the nearest cent | 19.99 |\n\n"
                "So they disagree by a cent whenever the lines' fractions add up. The law wants the sum rounded once, so the invoice is the one "
                "to change:\n\n```rust\npub fn total(&self) -> Cents {\n    let net: f64 = self.lines.iter().map(Line::net).sum();\n"
                "    Cents((net * (1.0 + self.vat)).round() as i64)\n}\n```\n\n1. Write a test with the numbers of order 4711.\n"
                "2. Round once.\n3. Leave `payment.rs` alone, as you asked.", 420)
    test = "#[test]\nfn order_4711_is_rounded_once() {\n    assert_eq!(order_4711().total(), Cents(1999));\n}\n"
    talk.call("Edit", {"file_path": "/home/ann/shop/src/invoice.rs", "old_string": "mod tests {\n", "new_string": "mod tests {\n" + test}, "The file has been updated.")
    talk.call("Bash", {"command": "cargo test invoice", "description": "Run the invoice tests"},
              "Exit code 101\ntest invoice::tests::order_4711_is_rounded_once ... FAILED\n  left: Cents(1998)\n right: Cents(1999)", 9, is_error=True)
    new = "pub fn total(&self) -> Cents {\n    let net: f64 = self.lines.iter().map(Line::net).sum();\n    Cents((net * (1.0 + self.vat)).round() as i64)\n}\n"
    talk.call("Edit", {"file_path": "/home/ann/shop/src/invoice.rs", "old_string": source, "new_string": new}, "The file has been updated.")
    talk.call("Bash", {"command": "cargo test invoice", "description": "Run the invoice tests"}, "running 7 tests\ntest result: ok. 7 passed", 9)
    talk.answer("Invoices round the sum of an order once now, as the payment does. The new test has the numbers of order 4711.", 150)
    talk.prompt("Great. Can you tell me in one sentence what to write in the changelog?", 40)
    talk.answer("Invoices round the sum of an order once, so that they show what the customer was charged.", 60)
    talk.title("Invoice and charge differ by a cent")
    return talk


def main():
    directory = sys.argv[1]
    for talk in map(small, range(26)):
        talk.write(directory)
    page = invoice()
    page.write(directory)
    print(page.session)


main()
