# How tools are found.


class Found(list):
    """Names of tools, best match first; shown with the first line of each stub."""

    SHOWN = 50

    def __init__(self, names, stubs):
        super().__init__(names)
        self._stubs = stubs

    def __repr__(self):
        lines = [f"{name}: {first_line(self._stubs.get(name, ''))}" for name in self[:self.SHOWN]]
        if len(self) > self.SHOWN:
            lines.append(f"... and {len(self) - self.SHOWN} more")
        return "\n".join(lines) or "no tool found"


def first_line(stub):
    lines = [line.strip() for line in stub.splitlines()[1:]]
    return next((line for line in lines if line.strip('"')), "")


def make_search(stubs):
    def search_tools(query):
        """A list of the names of the tools whose name or stub holds a word of
        the query, best first: 2 points per word in the name, 1 in the stub.
        Printed, it shows the first line of each stub; TOOLS[name] is the stub
        itself, which shows how to call the tool."""
        words = set(re.findall(r"\w+", str(query).lower()))
        scored = []
        for name, stub in stubs.items():
            name_text, stub_text = name.lower(), stub.lower()
            score = sum(2 if w in name_text else w in stub_text for w in words)
            if score:
                scored.append((-score, name))
        return Found([name for _, name in sorted(scored)], stubs)

    search_tools.__module__ = "__main__"
    return search_tools
