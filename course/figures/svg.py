"""Writes SVG drawings that are readable on a light and on a dark page, with a title for screen readers."""
from xml.sax.saxutils import escape

STYLE = """
.bg{fill:#ffffff}.ink{stroke:#57606a;fill:none;stroke-width:1.5}.text{fill:#1f2328}.dim{fill:#57606a}
.a{fill:#cfe3ff;stroke:#3b73b9}.b{fill:#ffe3c2;stroke:#b3701d}.c{fill:#cdeed3;stroke:#2f8a46}
.d{fill:#eadcff;stroke:#7a4fc0}.e{fill:#f0f2f5;stroke:#8b949e}.off{fill:#ffffff;stroke:#b4bac2;stroke-dasharray:3 3}
.point{fill:#c2255c;stroke:#ffffff}.roof{stroke:#3b73b9;fill:none;stroke-width:2.5}.grid{stroke:#e3e6ea;fill:none}
@media (prefers-color-scheme: dark){
.bg{fill:#161b22}.ink{stroke:#9aa4b0}.text{fill:#e6edf3}.dim{fill:#9aa4b0}
.a{fill:#1d3a5f;stroke:#79aef0}.b{fill:#4d3514;stroke:#e0a355}.c{fill:#17432a;stroke:#6cc585}
.d{fill:#3a2a5c;stroke:#b596ee}.e{fill:#262d36;stroke:#768390}.off{fill:#161b22;stroke:#5b6570}
.point{fill:#ff7aa8;stroke:#161b22}.roof{stroke:#79aef0}.grid{stroke:#2b323b}}
text{font-family:system-ui,sans-serif}
"""


class Drawing:
    """Lengths are in pixels; y grows downwards."""

    def __init__(self, width, height, title):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
            f'width="{width}" height="{height}"><title>{escape(title)}</title><style>{STYLE}</style>',
            f'<rect class="bg" width="{width}" height="{height}"/>']

    def box(self, x, y, width, height, kind="e", radius=4):
        self.parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" '
                          f'height="{height:g}" rx="{radius:g}"/>')

    def text(self, x, y, words, size=14, anchor="start", kind="text", weight="normal"):
        self.parts.append(f'<text class="{kind}" x="{x:g}" y="{y:g}" font-size="{size}" '
                          f'font-weight="{weight}" text-anchor="{anchor}">{escape(words)}</text>')

    def label(self, x, y, width, height, words, kind="e", size=13):
        """A box with lines of text in its middle."""
        self.box(x, y, width, height, kind)
        lines = words.split("\n")
        first = y + height / 2 - (len(lines) - 1) * size * 0.62 + size * 0.35
        for i, line in enumerate(lines):
            self.text(x + width / 2, first + i * size * 1.24, line, size, "middle")

    def path(self, points, kind="ink"):
        self.parts.append(f'<polyline class="{kind}" points="' +
                          " ".join(f"{x:.1f},{y:.1f}" for x, y in points) + '"/>')

    def arrow(self, x0, y0, x1, y1):
        """A straight horizontal or vertical arrow."""
        self.path([(x0, y0), (x1, y1)])
        dx, dy = (x1 > x0) - (x1 < x0), (y1 > y0) - (y1 < y0)
        tip = [(x1 - 7 * dx - 4 * dy, y1 - 7 * dy - 4 * dx), (x1, y1),
               (x1 - 7 * dx + 4 * dy, y1 - 7 * dy + 4 * dx)]
        self.path(tip)

    def point(self, x, y, radius=5):
        self.parts.append(f'<circle class="point" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>')

    def svg(self):
        return "\n".join(self.parts) + "\n</svg>\n"
