# SPDX-License-Identifier: GPL-2.0-only
"""Small changes to C source that a test should notice: where they can be made, and what they are.

The reader knows tokens, not grammar. It relies on the spaces of clang-format to tell a binary
operator from an unary one; what it gets wrong does not compile, and is left out by the caller.
"""

import re
from dataclasses import dataclass

TOKENS = re.compile(
    r"""(?P<skipped>/\*.*?\*/ | //[^\n]* | ^[ \t]*\#(?:\\\n|[^\n])*)
      | (?P<text>"(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*')
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<operator>->|\+\+|--|<<=|>>=|<<|>>|[<>=!+\-*/%&|^]=|&&|\|\||[^\s\w])""",
    re.X | re.S | re.M)

BINARY = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&",
    "+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&",
    "+=": "-=", "-=": "+=", "|=": "&=", "&=": "|=",
}
UNARY = {"!": "", "++": "--", "--": "++"}
WORDS = {"true": "false", "false": "true", "MIN": "MAX", "MAX": "MIN", "fmin": "fmax",
         "fmax": "fmin", "continue": "break", "SCX_DSQ_LOCAL": "SCX_DSQ_GLOBAL",
         "SCX_DSQ_GLOBAL": "SCX_DSQ_LOCAL"}

# Calls that are not changed: only a message would differ, or nothing that a test can observe; and
# sizes of allocations: a larger one has no effect, and the ASan build finds smaller ones.
UNTOUCHED_CALLS = re.compile(r"(assert|static_assert|_Static_assert|__attribute__"
                             r"|err_(set|sys|wrap)|log_\w+|malloc|calloc|realloc|reallocarray)$")
# Calls whose absence only a leak checker would detect.
RELEASES = re.compile(r"(free|close|fclose|closedir|munmap|va_end|vec_release|cleanup_\w+"
                      r"|\w+_(finish|free|destroy))$")
# Statements that note a failed allocation: changes of them have an effect only if memory runs out,
# which test_alloc_failure.c covers by comparing whole results.
NOTES_OF_MEMORY = re.compile(r"[\w.>-]+(->|\.)(failed_alloc \|?= .*|failed \|= [^;]*\bfailed);",
                             re.S)
# Sizes of buffers are not changed, because a larger one has no effect. Small numbers in brackets
# are indices, unless the brackets are part of a declaration.
LARGEST_INDEX = 7

STATEMENT_ENDS = {";", "{", "}", ")", "else", "do"}
SECOND_OF_STATEMENT = {"(", "=", "->", ".", "[", "++", "--", "+=", "-=", "*=", "/=", "%=", "|=",
                       "&=", "^=", "<<=", ">>="}
KEYWORDS = {"return", "goto", "if", "for", "while", "switch", "case", "default", "sizeof", "break",
            "continue", "do", "else"}


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Change:
    """The text from start to end becomes `new`."""

    start: int
    end: int
    new: str
    what: str

    def apply(self, text):
        return text[:self.start] + self.new + text[self.end:]


def read_tokens(text):
    return [Token(match.lastgroup, match.group(), match.start(), match.end())
            for match in TOKENS.finditer(text) if match.lastgroup != "skipped"]


def closing(tokens, at):
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].text in ("(", "[", "{"):
            depth += 1
        elif tokens[i].text in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                return i
    return len(tokens) - 1


def touchable(tokens):
    """Whether each token lies outside of the calls that are not to be changed."""
    is_open, i = [True] * len(tokens), 0
    while i + 1 < len(tokens):
        if tokens[i + 1].text == "(" and UNTOUCHED_CALLS.match(tokens[i].text):
            end = closing(tokens, i + 1)
            is_open[i:end + 1] = [False] * (end + 1 - i)
            i = end
        i += 1
    return is_open


def next_number(text):
    """A number that is one more, or 0 for 1, in the same notation; None for one of another kind."""
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|0[0-7]+|\d+)([uUlL]*)", text)
    if not match:
        return None
    digits, suffix = match.groups()
    if digits[:2].lower() == "0x":
        return f"0x{int(digits, 16) + 1:x}{suffix}"
    if digits.startswith("0") and len(digits) > 1:
        return f"0{int(digits, 8) + 1:o}{suffix}"
    return f"{0 if digits == '1' else int(digits) + 1}{suffix}"


def is_declared(tokens, at):
    """Whether the name before this opening bracket is declared there: a type stands before it."""
    if at < 2 or tokens[at - 1].kind != "word":
        return False
    before = tokens[at - 2]
    if before.text == "*":
        return before.end == tokens[at - 1].start
    return before.kind == "word" and before.text not in KEYWORDS


def is_size_of_array(tokens, i):
    """Whether the token is between the brackets of an array that is declared there."""
    at, depth = i - 1, 0
    while at > 0 and (depth or tokens[at].text not in ("[", "]", "(", ";", ",", "{", "}")):
        depth += (tokens[at].text == ")") - (tokens[at].text == "(")
        at -= 1
    return tokens[at].text == "[" and is_declared(tokens, at)


def only_enlarges(tokens, i):
    """Whether one more than this number makes nothing but a larger array where it is declared."""
    return is_size_of_array(tokens, i) and tokens[i].text != "1" and \
        tokens[i - 1].text in ("[", "+", "*")


def notes_of_memory(text, tokens):
    """Whether each token is of a statement that only tells of an allocation that failed."""
    is_note = [False] * len(tokens)
    for i in range(1, len(tokens)):
        last = end_of_statement(tokens, i) if tokens[i - 1].text in STATEMENT_ENDS else None
        if last and NOTES_OF_MEMORY.fullmatch(text, tokens[i].start, tokens[last].end):
            is_note[i:last + 1] = [True] * (last + 1 - i)
    return is_note


def change_number(tokens, i):
    token = tokens[i]
    new = next_number(token.text)
    if new is None:
        return None
    is_in_brackets = tokens[i - 1].text == "[" and tokens[i + 1].text == "]"
    is_index = token.text.isdigit() and int(token.text) <= LARGEST_INDEX
    if (is_in_brackets and not is_index) or only_enlarges(tokens, i):
        return None
    return Change(token.start, token.end, new, f"{token.text} became {new}")


def change_operator(text, tokens, i):
    token = tokens[i]
    if is_size_of_array(tokens, i):
        return None
    is_spaced = text[token.start - 1].isspace() and text[token.end:token.end + 1].isspace()
    if is_spaced and token.text in BINARY:
        new = BINARY[token.text]
        return Change(token.start, token.end, new, f"{token.text} became {new}")
    if not is_spaced and token.text in UNARY:
        new = UNARY[token.text]
        return Change(token.start, token.end, new,
                      f"{token.text} became {new}" if new else f"{token.text} was dropped")
    return None


def change_word(token):
    new = WORDS.get(token.text)
    return Change(token.start, token.end, new, f"{token.text} became {new}") if new else None


def end_of_statement(tokens, at):
    """The index of its semicolon; None when it is no simple statement."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].text in ("(", "[", "{"):
            depth += 1
        elif tokens[i].text in (")", "]", "}"):
            depth -= 1
            if depth < 0:
                return None
        elif tokens[i].text == ";" and depth == 0:
            return i
    return None


def change_statement(text, tokens, i):
    """Assignments and calls: dropped; their lines stay, so that the others keep their numbers."""
    first = i + (tokens[i].text in ("*", "++", "--"))
    if i == 0 or tokens[i - 1].text not in STATEMENT_ENDS or first + 1 >= len(tokens):
        return None
    if tokens[first].kind != "word" or tokens[first].text in KEYWORDS or \
            RELEASES.match(tokens[first].text):
        return None
    if first == i and tokens[first + 1].text not in SECOND_OF_STATEMENT:
        return None
    last = end_of_statement(tokens, i)
    if last is None:
        return None
    start, end = tokens[i].start, tokens[last].end
    lines = text.count("\n", start, end)
    return Change(start, end, ";" + "\n" * lines, "the statement was dropped")


def find_changes(text):
    """Every change that can be made to the text, in its order."""
    tokens = read_tokens(text)
    is_note = notes_of_memory(text, tokens)
    for i, is_open in enumerate(touchable(tokens)):
        if not is_open or is_note[i] or i == 0 or i + 1 == len(tokens):
            continue
        token = tokens[i]
        by_kind = {"number": lambda i=i: change_number(tokens, i),
                   "operator": lambda i=i: change_operator(text, tokens, i),
                   "word": lambda token=token: change_word(token)}
        for change in (by_kind.get(token.kind, lambda: None)(), change_statement(text, tokens, i)):
            if change:
                yield change
