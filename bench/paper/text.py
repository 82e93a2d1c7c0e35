"""Markdown, and figures as the page writes them."""


def markdown(head, align, lines):
    """align: one of l and r per column."""
    rule = ["---:" if a == "r" else "---" for a in align]
    return "\n".join("| " + " | ".join(str(c) for c in line) + " |" for line in [head, rule, *lines])


def minus(text):
    return str(text).replace("-", "−")


def pair(p):
    return f"({p[0]:g}, {p[1]:g})"


def nats(value):
    return minus(f"{value:,.0f}")


def percent(value):
    return f"{100 * value:.2f} %"


def with_error(value, error):
    return f"{100 * value:.2f} ± {100 * error:.2f} %"


def points(value):
    return minus(f"{100 * value:.2f}")


def correlation(value):
    return minus(f"{value:.2f}")


def listed(words):
    words = [str(w) for w in words]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1] if words else "none"
