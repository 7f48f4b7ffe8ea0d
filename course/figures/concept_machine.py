"""Drawings of the machine for the concept pages: hierarchy, SM, divergence, memory pyramid."""
from svg import Drawing


def hierarchy():
    d = Drawing(860, 400, "A launch is a grid of blocks, a block consists of warps, a warp of 32 lanes; a GPU "
                          "consists of SMs, and a block runs on one SM")
    d.text(20, 28, "What you launch", 16, weight="bold")
    d.box(20, 40, 390, 340, "a")
    d.text(32, 62, "grid: all blocks of the launch")
    for i in range(3):
        d.label(36 + 122 * i, 74, 108, 44, f"block {i}", "b")
    d.text(36, 142, "...", 16)
    d.box(36, 150, 358, 214, "b")
    d.text(48, 172, "block: up to 1024 threads, one SM")
    for i in range(2):
        d.label(52 + 170 * i, 184, 156, 34, f"warp {i}", "c")
    d.box(52, 234, 326, 118, "c")
    d.text(64, 256, "warp: 32 lanes, one instruction at a time")
    for i in range(16):
        d.box(64 + 19 * i, 270, 16, 26, "d", 2)
        d.box(64 + 19 * i, 302, 16, 26, "d", 2)
    d.text(64, 345, "lane: one thread, its own registers", 12, kind="dim")
    d.text(450, 28, "What executes it", 16, weight="bold")
    d.box(450, 40, 390, 340, "a")
    d.text(462, 62, "GPU: 132 SMs on an H200")
    for row in range(3):
        for column in range(6):
            d.label(466 + 61 * column, 74 + 46 * row, 54, 38, "SM", "b")
    d.text(466, 228, "... and 114 more", 12, kind="dim")
    d.label(466, 240, 358, 40, "L2 cache, 60 MB: all SMs", "e")
    d.label(466, 292, 358, 72, "device memory (HBM), 141 GB", "e")
    d.arrow(410, 96, 466, 96)
    d.text(438, 88, "placed", 12, "middle", "dim")
    return d


def sm():
    d = Drawing(860, 420, "An SM has four schedulers, each with 16 warps, 16,384 registers, 32 float lanes and a "
                          "tensor core; L1 and shared memory are common to all four")
    d.box(10, 10, 840, 400, "e")
    d.text(24, 34, "One SM of an H200", 16, weight="bold")
    for i in range(4):
        x = 24 + 206 * i
        d.box(x, 46, 194, 246, "a")
        d.label(x + 10, 56, 174, 34, f"scheduler {i}: 1 issue per cycle", "b", 11)
        d.label(x + 10, 98, 174, 34, "up to 16 warps", "c")
        d.label(x + 10, 140, 174, 34, "16,384 registers, 64 KB", "c", 12)
        d.label(x + 10, 182, 84, 46, "32 float32\nlanes", "d", 12)
        d.label(x + 100, 182, 84, 46, "tensor\ncore", "d", 12)
        d.label(x + 10, 236, 84, 46, "16 int32\nlanes", "d", 12)
        d.label(x + 100, 236, 84, 46, "special\nfunctions", "d", 12)
    d.label(24, 304, 812, 42, "256 KB: L1 cache and shared memory (up to 228 KB shared), 32 banks of 4 bytes", "b")
    d.label(24, 356, 400, 42, "copy engine for tiles (TMA)", "e")
    d.label(436, 356, 400, 42, "to L2 and device memory", "e")
    return d


def divergence():
    d = Drawing(860, 316, "Eight lanes at a branch: four execute the then side while four wait, then the other four "
                          "execute the else side")
    rows = [("t = threadIdx.x", [1] * 8), ("if (t % 2 == 0)", [1] * 8), ("  x = f(x);", [1, 0] * 4),
            ("else", None), ("  x = g(x);", [0, 1] * 4), ("__syncwarp();", [1] * 8), ("y[t] = x;", [1] * 8)]
    d.text(24, 30, "code", 14, weight="bold")
    d.text(300, 30, "lanes 0 to 7", 14, weight="bold")
    y = 44
    for words, lanes in rows:
        d.text(24, y + 21, words.replace("  ", "\u2003"), 14)
        if lanes:
            for i, active in enumerate(lanes):
                d.box(300 + 38 * i, y + 4, 32, 24, "c" if active else "off")
            d.text(620, y + 21, f"{sum(lanes)} of 8 active", 13, kind="dim")
        y += 34
    d.text(24, 304, "filled: executes; dashed: waits. Time runs downwards.", 12, kind="dim")
    d.arrow(836, 48, 836, 276)
    return d


def pyramid():
    levels = [("registers", "256 KB per SM", "1 thread", "", "d"),
              ("shared memory, L1", "256 KB per SM", "1 block, 1 SM", "23 cycles, L1 34 cycles; 33 TB/s", "c"),
              ("L2 cache", "60 MB", "all SMs", "265 to 475 cycles, 9.7 TB/s", "b"),
              ("device memory (HBM)", "141 GB", "all SMs", "650 cycles, 4.8 TB/s", "a"),
              ("other GPUs (NVLink)", "141 GB each", "all GPUs", "0.45 TB/s per direction", "e")]
    d = Drawing(860, 380, "Memory pyramid of an H200: registers, shared memory and L1, L2, device memory, other GPUs")
    for i, (name, size, sharing, speed, kind) in enumerate(levels):
        width = 240 + 70 * i
        d.label(290 - width / 2, 20 + 66 * i, width, 56, f"{name}\n{size}", kind, 14)
        d.text(580, 44 + 66 * i, f"shared by {sharing}", 13)
        d.text(580, 62 + 66 * i, speed, 13, kind="dim")
    d.text(290, 368, "larger, slower and shared by more threads, from top to bottom", 12, "middle", "dim")
    return d


def drawings():
    return {"concept-hierarchy": hierarchy(), "concept-sm": sm(), "concept-divergence": divergence(),
            "concept-pyramid": pyramid()}
