# How tools are found: by words, ranked as search engines do.

STOP = frozenset("""a about all am an and any are as at be by can could did do does for from get give go has have how i if in
into is it its let me my need of on one or our please show so some tell that the their them then there these they this
to tool tools up us use used uses using want was we were what when where which who will with would you your""".split())



def alike(lines):
    groups = {}
    for line in lines.split("\n"):
        for word in line.split():
            groups[word] = groups.get(word, frozenset()) | frozenset(line.split()) - {word}
    return groups


# Words of one line are taken for each other, at a discount.
ALIKE = alike("""
delete remove drop erase forget destroy discard clear
create make add new insert start open
find search query lookup locate look seek
read show view fetch retrieve load dump get
update edit change modify patch set close replace
directory folder
file document
image picture photo screenshot png
repository repo
website url site web browser navigate visit
several multiple many
count number
field column property schema
remember memory knowledge memorize
size large big
fill form input
chart plot graph draw visualize visualise diagram
move rename
comment review note
approve review accept
run execute
weather forecast temperature
time clock timezone date
mail email message
person user member people
ticket bug issue defect problem
error failure exception
slow latency duration performance
history log version
stop end close terminate cancel
copy duplicate fork clone
save write store
link url deeplink share
table spreadsheet pivot
percent percentage ratio
wait sleep delay
type enter input
press click tap
capture screenshot snapshot
schedule calendar event
status state health check
""")
PHRASES = ("pull request", "pr"), ("time zone", "timezone"), ("step by step", "sequential")

AFTER_ARGUMENTS = re.compile(r"\)(?: -> [\w |]+)?(?: \[private\])?: ")  # of a line that shows a tool
HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
WORDS = str.maketrans({c: " " for c in map(chr, range(128)) if not c.isalnum()})


def tokens(text):
    """Text as its words in lower case, each between spaces."""
    return f" {' '.join(text.translate(WORDS).lower().split())} "


def name_tokens(name):
    return tokens(HUMPS.sub(" ", name))


def stem(word):
    """The word without the endings that make little difference."""
    if not word.isalpha():
        return word
    for ending, kept in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[:-len(ending)] + kept
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


class Index:
    """Tools as texts, for BM25 with weighted fields. It is made at the first
    search: a text of a field is its words, and counting in them is cheap."""

    # name, server, first sentence, the rest of the description, parameters' names, what is said of them
    WEIGHTS = 5.0, 1.5, 3.0, 1.0, 1.5, 0.5
    K, B = 1.5, 0.5
    EXACT, SAME_STEM, PREFIX, LIKE = 1.0, 0.9, 0.4, 0.25
    VARIANTS = 24  # of a word of the query
    READ = 1500  # characters of a long field: its beginning says what it is about

    def __init__(self, about):
        self.docs, vocabulary = [], set()
        for tool in about.values():
            fields = self.fields(tool)
            text = "".join(fields)
            vocabulary.update(text.split())
            self.docs.append((tool.name, text, fields))
        self.stems = {}
        for word in sorted(vocabulary):
            self.stems.setdefault(stem(word), []).append(word)
        self.average = [sum(len(doc[2][i]) for doc in self.docs) / max(len(self.docs), 1) for i in range(len(self.WEIGHTS))]

    def fields(self, tool):
        said, _, parameters = tool.stub.partition("\n    params:")
        said = said.partition('"""')[2]
        first = AFTER_ARGUMENTS.split(tool.summary, maxsplit=1)[-1]
        return (name_tokens(tool.raw or tool.name), name_tokens(tool.server), tokens(first), tokens(said[:self.READ]),
                name_tokens(" ".join(tool.params)), tokens(parameters[:self.READ]))

    def variants(self, word):
        """The words that are meant by one of the query, and what each counts."""
        found, root = {}, stem(word)
        for other in ALIKE.get(word, ALIKE.get(root, ())):
            for same in self.stems.get(stem(other), ()):
                found[same] = self.LIKE
        if len(root) >= 4:
            for other, words in self.stems.items():
                if other.startswith(root) or len(other) >= 4 and root.startswith(other):
                    found.update((same, self.PREFIX) for same in words)
        for same in self.stems.get(root, ()):
            found[same] = self.SAME_STEM
        if word in self.stems.get(root, ()):
            found[word] = self.EXACT
        best = sorted(found.items(), key=lambda item: (-item[1], item[0]))
        return [(f" {other} ", credit) for other, credit in best[:self.VARIANTS]]

    def search(self, query):
        """Names of tools, the best first."""
        scores, told, total = {}, {}, 0
        for word, weight in query_words(query):
            hits = self.hits(self.variants(word))
            if hits:
                rarity = weight * log(1 + (len(self.docs) - len(hits) + 0.5) / (len(hits) + 0.5))
                total += rarity
                for i, frequency in hits:
                    told[i] = told.get(i, 0) + rarity
                    scores[i] = scores.get(i, 0) + rarity * frequency / (self.K + frequency)
        for i in scores:
            scores[i] *= 0.5 + 0.5 * told[i] / total
        best = max(scores.values(), default=0)
        ranked = sorted((-score, i) for i, score in scores.items() if score > best / 20)
        return [self.docs[i][0] for _, i in ranked]

    def hits(self, variants):
        """The tools that hold one of these words, and how much of it."""
        hits = []
        for i, (_, text, fields) in enumerate(self.docs):
            present = [(word, credit) for word, credit in variants if word in text]
            frequency = self.frequency(present, fields) if present else 0
            if frequency:
                hits.append((i, frequency))
        return hits

    def frequency(self, present, fields):
        total = 0
        for i, (weight, field, average) in enumerate(zip(self.WEIGHTS, fields, self.average)):
            for word, credit in present:
                if (credit > self.PREFIX or i in (0, 2)) and word in field:
                    length = 1 - self.B + self.B * len(field) / average
                    total += weight * credit * field.count(word) / length
        return total


def query_words(query):
    """The words of a query, and how much each counts."""
    text = name_tokens(query)
    words = dict.fromkeys(text.replace(" how many ", " count ").split()[:64], 1.0)
    for phrase, other in PHRASES:
        if f" {phrase} " in text:
            words[other] = 1.0
        if f" {other} " in text:
            words.update(dict.fromkeys(phrase.split(), 1.0))
    telling = {word: weight for word, weight in words.items() if word not in STOP}
    return (telling or words).items()


class Found(list):
    """Names of tools, the best first. Each can be called as its tool is; printed,
    there is a line for each that shows how. Awaiting it gives itself."""

    SHOWN, ALL = 10, 50  # lines for some words, and without any
    __module__ = "__main__"

    def __init__(self, names, toolbox, query):
        super().__init__(names)
        self._toolbox, self._query = toolbox, query.strip()

    def __await__(self):
        return self
        yield

    def __repr__(self):
        most = self.SHOWN if self._query else self.ALL
        lines = [self._toolbox.line(name) for name in self[:most]]
        if len(self) > most:
            lines.append(f"... and {len(self) - most} more; print(list(...)) shows their names")
        if not lines and self._query and self._toolbox:
            return f"no tool found for {self._query[:100]!r}; search_tools() lists all {len(self._toolbox)}"
        return "\n".join(lines) or "there are no tools"

    def __reduce__(self):
        return list, (), None, iter(self)


def make_search(toolbox):
    def search_tools(query="", limit=None):
        """The names of the tools that fit a few words, the best first; all of
        them without words. Printed, it shows a line for each; TOOLS[name] shows
        all that is known of one."""
        words = " ".join(map(str, query)) if isinstance(query, (list, tuple, set)) else "" if query is None else str(query)
        names = toolbox.index().search(words) if words.strip() else list(toolbox)
        return Found([toolbox.name(name) for name in names[:limit]], toolbox, words)

    search_tools.__module__ = "__main__"
    return search_tools
