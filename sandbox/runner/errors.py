# What the model reads of an error, and what no traceback shows.


def describe(e):
    """The end of the traceback."""
    try:
        text = render(e)
    except BaseException:
        text = type(e).__name__  # a broken __str__, or no memory left
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= MAX_ERROR:
        return data.decode()
    tail = data[-MAX_ERROR:].decode("utf-8", "ignore")
    head, newline, rest = tail.partition("\n")
    return rest if newline and len(rest) > MAX_ERROR // 2 else tail


def render(e):
    if isinstance(e, SystemExit):
        return f"SystemExit: {e}"
    trace = traceback.TracebackException(type(e), e, e.__traceback__, compact=True)
    bare = not trace.stack and not trace.exceptions and trace.__cause__ is None is trace.__context__
    return "".join(trace.format_exception_only() if bare else trace.format()).rstrip()


OURS = {HERE, __file__}  # files whose frames are not shown


def hide_frames():
    """Keeps our own frames out of what Python shows."""

    def shown(make, frames, **options):
        return make((item for item in frames if item[0].f_code.co_filename not in OURS), **options)

    def listed(make, *args):
        return [frame for frame in make(*args) if frame.filename not in OURS]

    def printed(show, frames, file=None):
        show([frame for frame in frames if frame[0] not in OURS], file)

    def ignored(what):
        print(f"{what.err_msg or 'Exception ignored in'}: {what.object!r}", file=sys.stderr)
        traceback.print_exception(what.exc_type, what.exc_value, what.exc_traceback)

    def in_thread(what):
        if what.exc_type is not SystemExit:  # which ends a thread without a word
            print(f"Exception in thread {what.thread.name if what.thread else '?'}:", file=sys.stderr)
            traceback.print_exception(what.exc_type, what.exc_value, what.exc_traceback)

    summary = traceback.StackSummary
    summary._extract_from_extended_frame_gen = partial(shown, summary._extract_from_extended_frame_gen)
    inspect.getouterframes = partial(listed, inspect.getouterframes)
    inspect.getinnerframes = partial(listed, inspect.getinnerframes)
    traceback.print_list = partial(printed, traceback.print_list)
    # Python 3.11 itself shows a thread's error past the changes above.
    sys.excepthook, sys.unraisablehook, threading.excepthook = traceback.print_exception, ignored, in_thread
    for dump in ("dump_traceback", "dump_traceback_later", "enable", "register"):
        setattr(faulthandler, dump, lambda *_, **__: None)  # it works below Python, where no frame can be left out
