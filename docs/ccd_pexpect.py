r"""The interface of pexpect's `spawn`, with programs that run in sessions of ccd.

    import ccd_pexpect as pexpect

    child = pexpect.spawn("python3 -q", encoding="utf-8")
    child.expect(">>> ")
    child.sendline("6 * 7")
    child.expect(r"\r\n(\d+)\r\n")
    print(child.match.group(1))

Needs Python 3.8 or later and nothing but its standard library. FROM_PEXPECT.md lists what differs from pexpect.
"""

import base64
import codecs
import errno
import json
import os
import re
import resource
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import time
import traceback
import types

try:
    from re import _constants as sre
    from re import _parser as sre_parse
except ImportError:  # before Python 3.11
    import sre_constants as sre
    import sre_parse

__all__ = ["EOF", "TIMEOUT", "ExceptionPexpect", "run", "spawn"]

READ_BYTES = 8 << 20


class ExceptionPexpect(Exception):
    """What every exception of this module is. `kind` is the kind of ccd's error, if ccd reported one."""

    def __init__(self, value, kind=None):
        super().__init__(value)
        self.value = value
        self.kind = kind

    def get_trace(self):
        """Returns the traceback as text, without the lines of this module."""
        here = ExceptionPexpect.get_trace.__code__.co_filename
        frames = traceback.extract_tb(self.__traceback__)
        return "".join(traceback.format_list([frame for frame in frames if frame.filename != here]))


class EOF(ExceptionPexpect):
    """The program has ended, and all of its output has been searched."""


class TIMEOUT(ExceptionPexpect):
    """No pattern matched in time."""


class Match:
    """The match of a regular expression: `group`, `groups`, `groupdict` and `[]` as in `re.Match`."""

    def __init__(self, regex, groups):
        self.re = regex
        self._groups = groups

    def __getitem__(self, which):
        return self._groups[self.re.groupindex.get(which, which)]

    def group(self, *which):
        found = tuple(self[name] for name in which or (0,))
        return found if len(found) > 1 else found[0]

    def groups(self, default=None):
        return tuple(default if group is None else group for group in self._groups[1:])

    def groupdict(self, default=None):
        groups = self.groups(default)
        return {name: groups[number - 1] for name, number in self.re.groupindex.items()}

    def __repr__(self):
        return "<ccd_pexpect.Match {!r}>".format(self[0])


class Connection:
    """A connection to the daemon, which is started if none is running."""

    def __init__(self, path=None):
        self._socket = self._connect(path or socket_path())
        self._lines = self._socket.makefile("rb")
        self._last_id = 0

    def _connect(self, path):
        try:
            return connected(path)
        except (FileNotFoundError, ConnectionRefusedError) as error:
            if os.environ.get("CCD_NO_START"):
                raise ExceptionPexpect("no daemon listens on {}: run ccctl daemon start".format(path)) from error
        subprocess.run([find_ccctl(), "daemon", "start"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        return connected(path)

    def call(self, method, params, heard=None):
        """Returns the result of a call. Notifications that arrive meanwhile go to `heard`."""
        self._last_id += 1
        request = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params}
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
            reply = self._reply(heard)
        except OSError as error:
            raise ExceptionPexpect("the connection to ccd was lost: {}".format(error)) from error
        if "error" in reply:
            error = reply["error"]
            raise ExceptionPexpect("{}: {}".format(method, error["message"]), error.get("data", {}).get("kind"))
        return reply["result"]

    def _reply(self, heard):
        while True:
            line = self._lines.readline()
            if not line.endswith(b"\n"):
                raise ConnectionResetError("the daemon closed it")
            message = json.loads(line)
            if message.get("id") == self._last_id:
                return message
            if "method" in message and heard is not None:
                heard(message["params"]["result"])

    def close(self):
        self._lines.close()
        self._socket.close()


def socket_path():
    for variable, rest in (("CCD_SOCKET", ""), ("CCD_HOME", "/run/ccd.sock"), ("XDG_RUNTIME_DIR", "/ccd/ccd.sock")):
        if os.environ.get(variable):
            return os.environ[variable] + rest
    return os.path.expanduser("~/.claude-control/run/ccd.sock")


def find_ccctl():
    found = shutil.which("ccctl")
    if found is None:
        raise ExceptionPexpect(
            "ccctl is not on PATH: install ccd, or add the directory of ccctl to PATH; "
            "if a daemon is running, set CCD_SOCKET to its socket"
        )
    return found


def connected(path):
    """Returns a connection to the socket, if it is a socket of this user."""
    found = socket.socket(socket.AF_UNIX)
    try:
        found.connect(path)
        if hasattr(socket, "SO_PEERCRED"):
            credentials = found.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            if struct.unpack("3i", credentials)[1] != os.geteuid():
                raise ExceptionPexpect("the daemon on {} is another user's".format(path))
        return found
    except BaseException:
        found.close()
        raise


class spawn:
    """A program in a session of ccd, with the interface of `pexpect.spawn`.

    The session ends when the program ends, when `close` is called, or when this process ends. `session` has further
    parameters of session.create, such as {"name": "demo"}; `ccctl attach demo` then shows what the script does.
    """

    def __init__(
        self,
        command,
        args=(),
        timeout=30,
        maxread=2000,
        searchwindowsize=None,
        logfile=None,
        cwd=None,
        env=None,
        ignore_sighup=False,
        echo=True,
        preexec_fn=None,
        encoding=None,
        codec_errors="strict",
        dimensions=None,
        use_poll=False,
        session=None,
    ):
        if preexec_fn is not None or ignore_sighup:
            raise ExceptionPexpect("ccd has no preexec_fn and no ignore_sighup: start the program with sh -c instead")
        if not isinstance(command, str):
            raise ExceptionPexpect("the command must be a string, with its arguments in args: spawn('ls', ['-l'])")
        words = [command, *args] if args else shlex.split(command)
        if not words:
            raise ExceptionPexpect("the command is empty")
        self.command, self.args = words[0], words
        self.timeout, self.encoding, self.codec_errors = timeout, encoding, codec_errors
        self.logfile, self.logfile_read, self.logfile_send = logfile, None, None
        self.string_type = bytes if encoding is None else str
        self.allowed_string_types = (bytes, str) if encoding is None else (str,)
        self.linesep, self.crlf = self._own(os.linesep), self._own("\r\n")
        self.delaybeforesend, self.delayafterterminate = 0.05, 0.1
        self.ignorecase, self.delimiter = False, EOF
        self.before = self.after = self.match = self.match_index = None
        self.exitstatus = self.signalstatus = None
        self.flag_eof = self.terminated = self.closed = False
        # Offsets of the session's output: what was matched or read, and what was written to the logs.
        self._offset = self._logged = 0
        self._log_decoder = None if encoding is None else codecs.getincrementaldecoder(encoding)(codec_errors)
        self._connection = Connection()
        rows, cols = dimensions or (24, 80)
        # In caller_env, these describe the caller's terminal and are ignored.
        terminal = {name: env[name] for name in ("TERM", "COLORTERM") if env is not None and name in env}
        params = {
            "program": words[0],
            "args": words[1:],
            "cwd": os.path.abspath(cwd or "."),
            "caller_env": texts(os.environ if env is None else env),
            "env": texts(terminal),
            "umask": own_umask(),
            "limits": own_limits(),
            "rows": rows,
            "cols": cols,
            "transient": True,
            "persist": True,
            "session_timeout_s": 0,
            "max_session_runtime_s": 0,
        }
        if not echo:
            params["echo"] = False
        params.update(session or {})
        try:
            record = self._connection.call("session.create", params)
        except BaseException:
            self._connection.close()
            raise
        self.session_id, self.pid = record["session_id"], record["pid"]
        self.name = "<{}>".format(self.session_id)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __str__(self):
        fields = ("command", "args", "before", "after", "match", "exitstatus", "signalstatus", "timeout", "session_id")
        lines = ["{}: {!r}".format(field, getattr(self, field)) for field in fields]
        return "{!r}\n{}".format(self, "\n".join(line[:500] for line in lines))

    def call(self, method, **params):
        """Returns the result of one of ccd's methods, such as `call("session.screen")["lines"]`."""
        if self.closed:
            raise ValueError("I/O operation on closed file.")
        return self._connection.call(method, {"session": self.session_id, **params}, self._heard)

    # Waiting

    def expect(self, pattern, timeout=-1, searchwindowsize=-1, async_=False):
        """Waits for the first of several patterns: strings, compiled regular expressions, EOF and TIMEOUT.

        Returns the index of the pattern in the list. `searchwindowsize` is accepted and not needed.
        """
        if async_:
            raise ExceptionPexpect("there is no async_: use a thread")
        return self.expect_list(self.compile_pattern_list(pattern), timeout)

    def compile_pattern_list(self, patterns):
        flags = re.DOTALL | (re.IGNORECASE if self.ignorecase else 0)

        def compiled(pattern):
            return re.compile(self._own(pattern), flags) if isinstance(pattern, (bytes, str)) else pattern

        return [compiled(pattern) for pattern in listed(patterns)]

    def expect_list(self, pattern_list, timeout=-1, searchwindowsize=-1, async_=False):
        wire = [{"regex": rust_regex(one, self.encoding)} if not is_event(one) else None for one in pattern_list]
        return self._expect(pattern_list, wire, timeout)

    def expect_exact(self, pattern_list, timeout=-1, searchwindowsize=-1, async_=False):
        """Like `expect`, for plain texts."""
        texts = [one if is_event(one) else self._own(one) for one in listed(pattern_list)]
        wire = [None if is_event(one) else exact(self._bytes(one)) for one in texts]
        return self._expect(texts, wire, timeout)

    def _expect(self, patterns, wire, timeout):
        events = {EOF: {"eof": True}, TIMEOUT: {"timeout": True}}
        wire = [events[pattern] if pattern in events else one for pattern, one in zip(patterns, wire)]
        # These two are always asked for, because the reply then has all of the output.
        found = self._search(wire + list(events.values()), timeout)
        index = found["index"]
        wanted = (patterns + list(events))[index]
        data = self._range(self._offset, found["start"], found["before"], found.get("before_omitted_bytes", 0))
        self.before = self._decoded(data)
        self.after = wanted
        is_missed = index >= len(patterns)
        self.match, self.match_index = (None, None) if is_missed else (wanted, index)
        if wanted is TIMEOUT:
            if is_missed:
                raise TIMEOUT("Timeout exceeded.\n" + str(self))
            return index
        matched = self._range(found["start"], found["end"], found["matched"])
        self._offset = found["end"]
        if wanted is EOF:
            self._at_eof()
            if is_missed:
                raise EOF("End Of File (EOF).\n" + str(self))
            return index
        self.after = self._decoded(matched)
        self.match = self.after if isinstance(wanted, (bytes, str)) else self._match(wanted, found["groups"])
        return index

    def _search(self, wire, timeout):
        timeout = self.timeout if timeout == -1 else timeout
        params = {
            "patterns": wire,
            "from": self._offset,
            "raw": True,
            "timeout_ms": None if timeout is None else max(0, timeout * 1000),
        }
        if self.logfile is None and self.logfile_read is None:
            return self.call("session.expect", **params)
        # The log shows the output as it comes. The subscription must not be left open: nobody may read for long.
        self._logged = max(self._logged, self._offset)
        subscription = self.call("session.subscribe", since=self._logged)
        try:
            found = self.call("session.expect", **params)
        finally:
            self._connection.call("session.unsubscribe", [subscription], self._heard)
        if self._logged < found["end"]:
            self._log_output(self._read_raw(self._logged, found["end"]), found["end"])
        return found

    def _match(self, regex, groups):
        if any("\ufffd" in group for group in groups if group):
            # Not all bytes are text. Python's own search finds the groups again.
            again = regex.search(self.after)
            if again:
                return Match(regex, (again[0], *again.groups()))
        return Match(regex, [None if group is None else self._decoded(group.encode()) for group in groups])

    def _range(self, start, end, text, omitted_bytes=0):
        """Returns output as bytes, given what a reply says of it."""
        if omitted_bytes or "\ufffd" in text:
            return self._read_raw(start, end)
        return text.encode()

    def _read_raw(self, start, end):
        parts = []
        while start < end:
            reply = self.call("session.read", since=start, max_bytes=min(end - start, READ_BYTES), raw=True)
            parts.append(base64.b64decode(reply["data_b64"]))
            if reply["end"] <= start:
                break
            start = reply["end"]
        return b"".join(parts)

    # Logs

    def _heard(self, item):
        if item.get("start", self._logged + 1) <= self._logged < item["end"]:
            data = base64.b64decode(item["data_b64"])
            self._log_output(data[self._logged - item["start"] :], item["end"])

    def _log_output(self, data, end):
        self._logged = end
        text = data if self._log_decoder is None else self._log_decoder.decode(data)
        self._log(text, self.logfile_read)

    def _log(self, text, second_log):
        for log in (self.logfile, second_log):
            if log is not None:
                log.write(text)
                log.flush()

    # Text and bytes

    def _own(self, text):
        """Returns a text as the type that this object uses."""
        if not isinstance(text, self.allowed_string_types):
            raise TypeError("got {!r}: only {!r} are accepted".format(text, self.allowed_string_types))
        return text.encode() if self.encoding is None and isinstance(text, str) else text

    def _bytes(self, text):
        return text if self.encoding is None else text.encode(self.encoding, self.codec_errors)

    def _decoded(self, data):
        if self.encoding is None:
            return data
        # The end may be in the middle of a character, the rest of which has not been printed.
        return codecs.getincrementaldecoder(self.encoding)(self.codec_errors).decode(data)

    # Reading

    @property
    def buffer(self):
        """The output that is there after the last match."""
        return self._decoded(self._read_raw(self._offset, self.call("session.get")["output"]["output_bytes"]))

    def read_nonblocking(self, size=1, timeout=-1):
        """Returns at most `size` characters; waits until there is one."""
        wire = [{"regex": "(?s)."}, {"eof": True}, {"timeout": True}]
        index = self._search(wire, timeout)["index"]
        if index == 1:
            self._at_eof()
            raise EOF("End Of File (EOF).")
        if index == 2:
            raise TIMEOUT("Timeout exceeded.")
        text = self.buffer[:size]
        self._offset += len(self._bytes(text))
        return text

    def read(self, size=-1):
        """Returns `size` characters, or everything up to the end of the output."""
        if size < 0:
            self.expect(self.delimiter)
            return self.before
        parts = []
        while size > 0:
            count = min(size, 256)
            if self.expect([".{%d}" % count, self.delimiter]) == 1:
                parts.append(self.before)
                break
            parts.append(self.after)
            size -= count
        return self.string_type().join(parts)

    def readline(self, size=-1):
        """Returns a line with its end, "\\r\\n"; at the end of the output, what is left."""
        if size == 0:
            return self.string_type()
        return self.before + self.crlf if self.expect_exact([self.crlf, self.delimiter]) == 0 else self.before

    def __iter__(self):
        return iter(self.readline, self.string_type())

    def readlines(self, sizehint=-1):
        return list(self)

    # Typing

    def send(self, s):
        """Types a text and returns its length in bytes.

        First waits until the program waits for input, but at most `delaybeforesend` seconds.
        """
        s = self._own(s)
        self._await_input()
        self._log(s, self.logfile_send)
        data = base64.b64encode(self._bytes(s)).decode()
        try:
            return self.call("session.send", data_b64=data)["written_bytes"] if data else 0
        except ExceptionPexpect as error:
            if error.kind == "session_not_alive":
                raise OSError(errno.EIO, str(error)) from error
            raise

    def _await_input(self):
        deadline = time.monotonic() + (self.delaybeforesend or 0)
        while time.monotonic() < deadline:
            waiting = self.call("session.get")["waiting_for_input"]
            if waiting is None or waiting["verdict"] in ("blocked", "accepts"):
                return
            time.sleep(0.005)

    def sendline(self, s=""):
        return self.send(self._own(s) + self.linesep)

    def write(self, s):
        self.send(s)

    def writelines(self, sequence):
        for s in sequence:
            self.write(s)

    def sendcontrol(self, char):
        """Types a control character: `sendcontrol("c")` is Ctrl-C."""
        char = {"`": "@", "{": "[", "|": "\\", "}": "]", "~": "^"}.get(char, char.upper())
        return self.send(chr(ord(char) ^ 64)) if "?" <= char <= "_" else 0

    def sendeof(self):
        self.sendcontrol("d")

    def sendintr(self):
        self.sendcontrol("c")

    # The terminal

    def isatty(self):
        return True

    def getecho(self):
        return self.call("session.echo")["on"]

    def setecho(self, state):
        self.call("session.echo", on=bool(state))

    def waitnoecho(self, timeout=-1):
        """Waits until the echo is off, as at a password prompt, and returns whether it is."""
        timeout = self.timeout if timeout == -1 else timeout
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.getecho():
            if deadline is not None and time.monotonic() >= deadline:
                return False
            time.sleep(0.01)
        return True

    def getwinsize(self):
        record = self.call("session.get")
        return record["rows"], record["cols"]

    def setwinsize(self, rows, cols):
        self.call("session.resize", rows=rows, cols=cols)

    def interact(self, escape_character=chr(29), input_filter=None, output_filter=None):
        """Attaches the terminal of this process, until the escape character is typed or the program ends."""
        if input_filter is not None or output_filter is not None:
            raise ExceptionPexpect("interact has no filters")
        words = [find_ccctl(), "attach", self.session_id]
        if escape_character is not None:
            words += ["--detach-keys", "C-" + chr(ord(escape_character) ^ 64).lower()]
        subprocess.run(words, check=True)
        self._offset = self.call("session.get")["output"]["output_bytes"]

    # The end

    def eof(self):
        return self.flag_eof

    def _at_eof(self):
        self.flag_eof = True
        self.isalive()  # sets the exit status

    def isalive(self):
        if not self.terminated:
            record = self.call("session.get")
            if record["state"] != "alive":
                self._ended(record)
        return not self.terminated

    def wait(self):
        """Waits until the program exits, and returns its exit status."""
        if not self.terminated:
            self._ended(self.call("session.wait", **{"for": "exit", "timeout_ms": None}))
        return self.exitstatus

    def _ended(self, record):
        self.terminated = True
        self.exitstatus, self.signalstatus = record["exitstatus"], record["signal"]

    def kill(self, sig):
        """Sends a signal to the program."""
        if self.isalive():
            os.kill(self.pid, sig)

    def terminate(self, force=False):
        """Asks the program to exit with SIGHUP and SIGINT, then with `force` kills it; returns whether it has ended."""
        for name in ["HUP", "CONT", "INT"] + (["KILL"] if force else []):
            if not self.isalive():
                return True
            try:
                self.call("session.signal", signal=name)
                wait_ms = self.delayafterterminate * 1000
                self._ended(self.call("session.wait", **{"for": "exit", "timeout_ms": wait_ms}))
            except ExceptionPexpect as error:
                if error.kind not in ("timeout", "session_not_alive"):
                    raise
        return not self.isalive()

    def close(self, force=True):
        """Ends the program: with SIGHUP and SIGTERM, and after 2 s kills whatever is still running."""
        if not self.closed:
            self._ended(self.call("session.close"))
            self.closed = True
            self._connection.close()


def run(
    command,
    timeout=30,
    withexitstatus=False,
    events=None,
    extra_args=None,
    logfile=None,
    cwd=None,
    env=None,
    **kwargs,
):
    """Runs a program and returns its output; with `withexitstatus`, a tuple of output and exit status.

    `events` maps patterns to texts to send, or to functions that return a text to send, or True to stop. They are
    called with the local variables: `child`, `child_result_list`, `event_count`, `extra_args` and others, as in pexpect.
    """
    timeout = 30 if timeout == -1 else timeout
    child = spawn(command, timeout=timeout, logfile=logfile, cwd=cwd, env=env, **kwargs)
    pairs = list(events.items()) if isinstance(events, dict) else list(events or ())
    patterns, responses = [pattern for pattern, _ in pairs], [response for _, response in pairs]
    child_result_list, event_count = [], 0
    while True:
        try:
            index = child.expect(patterns)
        except (EOF, TIMEOUT):
            child_result_list.append(child.before)
            break
        child_result_list.append(child.before if is_event(child.after) else child.before + child.after)
        response = responses[index]
        if isinstance(response, (types.FunctionType, types.MethodType)):
            response = response(locals())
        elif not isinstance(response, child.allowed_string_types):
            raise TypeError("the response to event {} is {!r}: give a text or a function".format(index, response))
        event_count += 1
        if isinstance(response, child.allowed_string_types):
            child.send(response)
        elif response:
            break
    child_result = child.string_type().join(child_result_list)
    child.close()
    return (child_result, child.exitstatus) if withexitstatus else child_result


def listed(patterns):
    if patterns is None:
        return []
    return list(patterns) if isinstance(patterns, (list, tuple)) else [patterns]


def is_event(pattern):
    return pattern is EOF or pattern is TIMEOUT


def own_umask():
    """The file mode mask of this process, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return format(mask, "03o")


def own_limits():
    """The soft limits of this process, as a request names them."""
    names = "as core cpu data fsize memlock nofile nproc stack".split()
    soft = {name: resource.getrlimit(getattr(resource, f"RLIMIT_{name.upper()}"))[0] for name in names}
    return {name: None if limit == resource.RLIM_INFINITY else limit for name, limit in soft.items()}


def texts(variables):
    """Returns the variables without those that are not text."""

    def is_text(word):
        return not any("\ud800" <= char <= "\udfff" for char in word)

    return {name: value for name, value in variables.items() if is_text(name) and is_text(value)}


def exact(data):
    """Returns the pattern of these bytes."""
    try:
        return {"exact": data.decode()}
    except UnicodeDecodeError:
        return {"regex": "".join("\\x%02x" % byte for byte in data)}


def rust_regex(regex, encoding):
    """Returns a compiled regular expression in the syntax of ccd, which is that of Rust's crate `regex`."""
    if not isinstance(regex, re.Pattern):
        raise TypeError("got {!r}: a pattern is a string, a compiled expression, EOF or TIMEOUT".format(regex))
    is_bytes = isinstance(regex.pattern, bytes)
    is_unicode = not is_bytes and codecs.lookup(encoding or "utf-8").name == "utf-8"
    flags = "s" * bool(regex.flags & re.S) + "m" * bool(regex.flags & re.M) + "i" * bool(regex.flags & re.I)
    prefix = "(?" + flags + "u" * is_unicode + ")" if flags or is_unicode else ""
    writer = RegexWriter("latin-1" if is_bytes else encoding or "utf-8", is_unicode, regex.flags & re.A)
    return prefix + writer.sequence(sre_parse.parse(regex.pattern, regex.flags & ~re.DEBUG))


class RegexWriter:
    """Writes what Python's parser has read as a regular expression of Rust."""

    CATEGORIES = {
        sre.CATEGORY_DIGIT: (r"\d", "[:digit:]"),
        sre.CATEGORY_NOT_DIGIT: (r"\D", "[:^digit:]"),
        sre.CATEGORY_SPACE: (r"\s", "[:space:]"),
        sre.CATEGORY_NOT_SPACE: (r"\S", "[:^space:]"),
        sre.CATEGORY_WORD: (r"\w", "[:word:]"),
        sre.CATEGORY_NOT_WORD: (r"\W", "[:^word:]"),
    }
    PLACES = {
        sre.AT_BEGINNING: "^",
        sre.AT_BEGINNING_STRING: r"\A",
        sre.AT_END: "$",
        sre.AT_END_STRING: r"\z",
        # ccd decides word boundaries by one byte, so they are those of ASCII.
        sre.AT_BOUNDARY: r"(?-u:\b)",
        sre.AT_NON_BOUNDARY: r"(?-u:\B)",
    }

    def __init__(self, encoding, is_unicode, is_ascii):
        self.encoding, self.is_unicode, self.is_ascii = encoding, is_unicode, is_ascii

    def sequence(self, items):
        return "".join(self.item(*item) for item in items)

    def item(self, kind, value):
        if kind is sre.LITERAL:
            return self.literal(value)
        if kind is sre.NOT_LITERAL:
            return "[^{}]".format(self.literal(value))
        if kind is sre.ANY:
            return "."
        if kind is sre.AT:
            return self.PLACES[value]
        if kind is sre.IN:
            if value[0][0] is sre.CATEGORY and len(value) == 1 and not self.is_ascii:
                return self.member(*value[0])
            return "[{}]".format("".join(self.member(*member) for member in value))
        if kind is sre.BRANCH:
            return "(?:{})".format("|".join(self.sequence(branch) for branch in value[1]))
        if kind is sre.SUBPATTERN:
            return self.group(*value)
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            least, most, items = value
            times = "{%d,%s}" % (least, "" if most is sre.MAXREPEAT else int(most))
            times = {"{0,}": "*", "{1,}": "+", "{0,1}": "?"}.get(times, times)
            is_one = len(items) == 1 and items[0][0] in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN, sre.SUBPATTERN)
            repeated = self.sequence(items) if is_one else "(?:{})".format(self.sequence(items))
            return repeated + times + ("?" if kind is sre.MIN_REPEAT else "")
        raise ExceptionPexpect("patterns have no look-around, back-references or atomic groups ({})".format(kind))

    def group(self, number, added, removed, items):
        inner = self.sequence(items)
        letters = (("i", re.I), ("m", re.M), ("s", re.S))
        on = "".join(letter for letter, flag in letters if added & flag)
        off = "".join(letter for letter, flag in letters if removed & flag)
        if on or off:
            inner = "(?{}{}:{})".format(on, "-" + off if off else "", inner)
        return "({})".format(inner) if number is not None else "(?:{})".format(inner)

    def member(self, kind, value):
        if kind is sre.NEGATE:
            return "^"
        if kind is sre.RANGE:
            return "{}-{}".format(*(self.literal(code) for code in value))
        if kind is sre.CATEGORY:
            return self.CATEGORIES[value][bool(self.is_ascii)]
        return self.literal(value)

    def literal(self, code):
        char = chr(code)
        if char in "\r\n\t":
            return {"\r": "\\r", "\n": "\\n", "\t": "\\t"}[char]
        if " " <= char <= "~":
            return char if char == " " else re.escape(char)
        if self.is_unicode:
            return "\\x{%x}" % code
        return "".join("\\x%02x" % byte for byte in char.encode(self.encoding))
