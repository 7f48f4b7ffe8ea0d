"""Drawings of a thread tile, a pipeline over time, and three kernel classes: attention, convolution, collectives."""
from svg import Drawing


def thread_tile():
    """4 + 4 values in registers make 16 FMAs."""
    d = Drawing(700, 330, "A thread holds 4 elements of A and 4 of B in registers and adds 16 products into its "
                          "accumulators")
    cell, x0, y0 = 44, 250, 80
    for i in range(4):
        d.label(x0 - 74, y0 + i * cell, 56, cell - 4, f"a[{i}]", "a")
        d.label(x0 + i * cell * 1.6, y0 - 52, cell * 1.6 - 4, 36, f"b[{i}]", "b")
        for j in range(4):
            d.label(x0 + j * cell * 1.6, y0 + i * cell, cell * 1.6 - 4, cell - 4, f"c[{i}][{j}]", "c")
    d.text(x0 - 46, y0 - 30, "4 loads", 13, "middle", "dim")
    d.text(x0 + 290, y0 - 30, "4 loads", 13, "start", "dim")
    d.text(x0 + 141, y0 + 4 * cell + 22, "16 FMAs per step of k, into 16 registers", 13, "middle")
    d.text(x0 + 141, y0 + 4 * cell + 44, "the accumulators stay for the whole k-loop", 13, "middle", "dim")
    d.text(20, y0 + 20, "one column of", 13, "start", "dim")
    d.text(20, y0 + 37, "A's strip, from", 13, "start", "dim")
    d.text(20, y0 + 54, "shared memory", 13, "start", "dim")
    return d


def pipeline():
    """Three stages; a load takes two units of time, the MMAs of one k-step take one and a half."""
    load, multiply, stages, steps = 2.0, 1.5, 3, 7
    d = Drawing(900, 300, "A pipeline of three stages over time: loads run ahead of the MMAs until all stages are "
                          "full, then each load waits for a release")
    unit, left = 54, 110
    rows = {"producer": 60, "consumer": 180}
    for name, y in rows.items():
        d.text(left - 12, y + 26, name, 14, "end")
    arrived, released, engine, math = [], [], 0.0, 0.0
    kinds = ["a", "b", "c"]
    for step in range(steps):
        free = released[step - stages] if step >= stages else 0.0
        begin = max(engine, free)  # the copy engine moves one stage after the other
        if begin > engine:
            d.box(left + engine * unit, rows["producer"], (begin - engine) * unit - 2, 40, "off")
        engine = begin + load * 0.6
        arrived.append(begin + load)
        d.label(left + begin * unit, rows["producer"], load * 0.6 * unit - 2, 40, f"load {step}\nstage {step % stages}",
                kinds[step % stages], 11)
        start = max(math, arrived[step])
        if start > math:
            d.box(left + math * unit, rows["consumer"], (start - math) * unit - 2, 40, "off")
        math = start + multiply
        released.append(math)
        d.label(left + start * unit, rows["consumer"], multiply * unit - 2, 40, f"MMAs {step}\nstage {step % stages}",
                kinds[step % stages], 11)
        if step < 2:
            issued, x = left + (begin + load * 0.6) * unit - 8, left + arrived[step] * unit
            d.path([(issued, rows["producer"] + 40), (x, rows["consumer"] - 4)])
            d.text((issued + x) / 2 - 8, 152, f"full[{step}]", 12, "end", "dim")
    for step in range(2):
        x = left + released[step] * unit
        d.arrow(x, rows["consumer"] - 2, x, rows["producer"] + 42)
        d.text(x + 6, 128, f"empty[{step}]", 12, "start", "dim")
    d.arrow(left, 262, 880, 262)
    d.text(880, 284, "time", 13, "end", "dim")
    d.text(left, 284, "dashed: waiting", 13, "start", "dim")
    return d


def all_reduce():
    """Four ranks: the ring's first steps, and the direct exchange."""
    d = Drawing(900, 400, "All-reduce of four GPUs: in a ring each link carries a quarter per step; in a direct "
                          "exchange each GPU reads everything from all others")
    at = [(110, 90), (310, 90), (310, 250), (110, 250)]
    d.text(230, 40, "ring: 2 (N - 1) = 6 steps, each 1/4 of the message", 14, "middle")
    for rank, (x, y) in enumerate(at):
        d.label(x - 50, y - 26, 100, 52, f"GPU {rank}", "a")
    for (x0, y0, x1, y1), part in zip(((160, 90, 260, 90), (310, 116, 310, 224), (260, 250, 160, 250),
                                       (110, 224, 110, 116)), range(4)):
        d.arrow(x0, y0, x1, y1)
        if y0 == y1:
            d.text((x0 + x1) / 2, y0 - 10, f"part {part}", 12, "middle", "dim")
        else:
            d.text(x0 + 10 if x0 > 200 else x0 - 10, (y0 + y1) / 2 + 4, f"part {part}", 12,
                   "start" if x0 > 200 else "end", "dim")
    d.text(210, 322, "Each GPU sends 2 (N - 1)/N = 1.5 times the message;", 13, "middle")
    d.text(210, 342, "every link is busy in every step. For large messages.", 13, "middle")
    d.path([(450, 20), (450, 380)], "grid")
    d.text(675, 40, "one shot: 1 step", 14, "middle")
    direct = [(575, 90), (775, 90), (775, 250), (575, 250)]
    for i in range(4):
        for j in range(i + 1, 4):
            d.path([direct[i], direct[j]])
    for rank, (x, y) in enumerate(direct):
        d.label(x - 50, y - 26, 100, 52, f"GPU {rank}", "b")
    d.text(675, 322, "Each GPU sends N - 1 = 3 times the message;", 13, "middle")
    d.text(675, 342, "one latency instead of six. For small messages.", 13, "middle")
    return d


def attention_tiles():
    """Queries down, keys across; one tile of queries walks over the tiles of keys."""
    d = Drawing(900, 400, "Attention by tiles: one tile of queries visits the tiles of keys and values and keeps a "
                          "running maximum, sum and output")
    cell, x0, y0, n = 44, 130, 80, 6
    for j in range(n):
        d.label(x0 + j * cell, y0 - 40, cell - 3, 30, f"K{j}", "b", 12)
        d.label(x0 + j * cell, y0 + n * cell + 10, cell - 3, 30, f"V{j}", "d", 12)
    for i in range(n):
        d.label(x0 - 60, y0 + i * cell, 46, cell - 3, f"Q{i}", "a", 12)
        for j in range(n):
            kind = "off" if j > i else "c" if i == 3 else "e"
            d.box(x0 + j * cell, y0 + i * cell, cell - 3, cell - 3, kind)
            if i == j:
                d.path([(x0 + j * cell, y0 + i * cell), (x0 + (j + 1) * cell - 3, y0 + (i + 1) * cell - 3)])
    d.arrow(x0 - 6, y0 + 3 * cell + 20, x0 + 4 * cell - 8, y0 + 3 * cell + 20)
    x = 470
    d.text(x, 76, "For the tile Q3, one key tile after the other:", 14)
    for line, words in enumerate(("S = Q3 Kj^T            in registers, never in memory",
                                  "m' = max(m, row maximum of S)",
                                  "P = exp(S - m')",
                                  "l  = l exp(m - m') + row sum of P",
                                  "O = O exp(m - m') + P Vj",
                                  "m = m'")):
        d.text(x + 14, 104 + 24 * line, words, 13)
    d.text(x + 14, 104 + 24 * 6, "At the end: O / l", 13)
    d.label(x, 276, 24, 24, "", "c")
    d.text(x + 34, 293, "visited for Q3", 13)
    d.label(x, 308, 24, 24, "", "off")
    d.text(x + 34, 325, "causal: above the diagonal, skipped", 13)
    d.text(x, 357, "Only tiles on the diagonal (marked) need a mask per element.", 13, "start", "dim")
    return d


def im2col():
    """A 4 x 4 image, a 3 x 3 filter without padding: 4 outputs, 9 columns."""
    d = Drawing(900, 380, "Convolution as a matrix product: each output pixel is a row of the input matrix, and "
                          "neighbouring rows repeat the same pixels")
    cell, x0, y0 = 40, 40, 90
    d.text(x0 + 80, 66, "image, 4 x 4", 14, "middle")
    for y in range(4):
        for x in range(4):
            first, second = x < 3 and y < 3, x > 0 and y < 3
            kind = "c" if first and second else "a" if first else "b" if second else "e"
            d.label(x0 + x * cell, y0 + y * cell, cell - 3, cell - 3, str(4 * y + x), kind, 12)
    d.label(x0, y0 + 190, 18, 18, "", "a")
    d.text(x0 + 26, y0 + 204, "patch of output 0 only", 12)
    d.label(x0, y0 + 214, 18, 18, "", "b")
    d.text(x0 + 26, y0 + 228, "of output 1 only", 12)
    d.label(x0, y0 + 238, 18, 18, "", "c")
    d.text(x0 + 26, y0 + 252, "of both", 12)
    mx, my = 270, 110
    d.text(mx + 9 * 38 / 2, 66, "the matrix A: one row per output, one column per filter point", 14, "middle")
    for row in range(4):
        d.text(mx - 10, my + row * cell + 25, f"out {row}", 12, "end", "dim")
        for tap in range(9):
            pixel = 4 * (row // 2 + tap // 3) + row % 2 + tap % 3
            x, y = pixel % 4, pixel // 4
            first, second = x < 3 and y < 3, x > 0 and y < 3
            kind = ("c" if first and second else "a" if first else "b" if second else "e") if row < 2 else "e"
            d.label(mx + tap * 38, my + row * cell, 35, cell - 3, str(pixel), kind, 12)
    d.text(mx + 9 * 38 + 22, my + 90, "x", 18, "middle")
    for tap in range(9):
        d.label(mx + 9 * 38 + 44, my - 10 + tap * 22, 40, 20, f"w{tap}", "d", 11)
    d.text(mx + 9 * 38 + 110, my + 90, "=", 18, "middle")
    for row in range(4):
        d.label(mx + 9 * 38 + 132, my + row * cell, 56, cell - 3, f"out {row}", "e", 12)
    d.text(mx, my + 4 * cell + 60, "36 elements from 16 pixels: im2col writes them all; implicit GEMM", 13)
    d.text(mx, my + 4 * cell + 80, "computes each element's address when its tile is loaded.", 13)
    return d


def drawings():
    return {"concept-thread-tile": thread_tile(), "concept-pipeline": pipeline(),
            "concept-all-reduce": all_reduce(), "concept-attention-tiles": attention_tiles(),
            "concept-im2col": im2col()}
