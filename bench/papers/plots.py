# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bars as SVG, for the papers' figures."""

COLOURS = ("#1b6ca8", "#d1495b", "#3a7d44", "#edae49", "#6b4c9a", "#777777", "#00798c")


def bars(path, title, unit, rows):
    """`rows`: label to {name of a bar: value, or a list of pairs (part, value) to be stacked}. Bars of a
    label stand side by side, each label scaled by itself: the longest is printed above it."""
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    parts = list(dict.fromkeys(part for row in rows.values() for value in row.values()
                               if isinstance(value, list) for part, _ in value))
    colours = dict(zip(parts or names, COLOURS * 3))
    bar, gap, height, left, top = 16, 26, 220, 20, 50
    widths = [gap + bar * len(row) for row in rows.values()]
    width = max(left + sum(widths) + 20, left + 150 * len(colours))
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top + height + 80}" '
           'font-family="sans-serif" font-size="10">',
           f'<text x="{left}" y="16" font-size="13">{title}; {unit}, each group by itself</text>']
    at, base = left, top + height
    for (label, row), wide in zip(rows.items(), widths):
        stacks = {name: value if isinstance(value, list) else [(name, value)] for name, value in row.items()}
        most = max(sum(value for _, value in stack) for stack in stacks.values()) or 1
        for index, (name, stack) in enumerate(stacks.items()):
            y = base
            for part, value in stack:
                tall = height * value / most
                y -= tall
                out.append(f'<rect x="{at + index * bar}" y="{y:.1f}" width="{bar - 2}" height="{tall:.1f}" '
                           f'fill="{colours[part]}"><title>{label}, {name}: {value:.4g}</title></rect>')
        out.append(f'<text x="{at}" y="{top - 6}">{most:.3g}</text>')
        out.append(f'<text x="{at}" y="{base + 14}">{label}</text>')
        at += wide
    out.append(f'<path d="M{left} {base} H{at}" stroke="black"/>')
    for index, (name, colour) in enumerate((name, colours[name]) for name in (parts or names)):
        out.append(f'<text x="{left + 150 * index}" y="{base + 40}" fill="{colour}">{name}</text>')
    path.write_text("\n".join([*out, "</svg>"]) + "\n")
