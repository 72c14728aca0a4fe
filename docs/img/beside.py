"""Prints one SVG with animations of `ccctl tape svg` side by side on one clock: beside.py END_S FILE...

They show what they have until END_S, stay like that for a moment, and start again.
"""

import re
import sys

GAP = 12
PAUSE_S = 2.5


def placed(film, prefix, x, end_s):
    """Returns an animation at a position; its names get a prefix, and its times become parts of the common time."""
    length_s = float(re.search(r"animation:play ([\d.]+)s", film)[1])
    last = ["0"]

    def keyframe(match):
        at_s = float(match[1]) * length_s / 100
        if at_s > end_s:
            return ""
        last[0] = match[2]
        return f"{at_s * 100 / (end_s + PAUSE_S):.4f}%{{transform:translate(0,-{match[2]}px)}}\n"

    film = re.sub(r"([\d.]+)%\{transform:translate\(0,-(\d+)px\)\}\n", keyframe, film)
    film = re.sub(r'class="film" transform="translate\(0,-\d+\)"', f'class="film" transform="translate(0,-{last[0]})"', film)
    film = re.sub(r"animation:play [\d.]+s", f"animation:play {end_s + PAUSE_S:.3f}s", film)
    for names in [r'(id=")', r'(href="#)', r"(url\(#)", r'(class=")(?=film)', r"(\{\.)(?=film)", r"(animation:)(?=play)", r"(@keyframes )(?=play)"]:
        film = re.sub(names, rf"\g<1>{prefix}", film)
    return re.sub(r'<svg xmlns="[^"]*"', f'<svg x="{x}"', film, count=1)


def main():
    end_s, x, height, out = float(sys.argv[1]), 0, 0, ""
    for number, path in enumerate(sys.argv[2:]):
        with open(path, encoding="utf-8") as file:
            film = file.read()
        size = [int(number) for number in re.search(r'width="(\d+)" height="(\d+)"', film).groups()]
        out += placed(film, f"f{number}-", x, end_s)
        x, height = x + size[0] + GAP, max(height, size[1])
    width = x - GAP
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">')
    print(out + "</svg>")


main()
