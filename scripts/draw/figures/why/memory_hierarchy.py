"""The memory levels of three GPUs to scale: capacity is area, bandwidth is width."""

from draw.figures import _svg as s
from draw.figures._plot import rate, size

from tilewise.hardware import GB, GPUS, LEVELS

COLUMN, WIDE = 134, 128  # from column to column; of the slab of HBM
AREA = WIDE * 150 / (141 * GB)  # square units for a byte
WIDTH = 1.3 / 1e12  # units of an arrow for a byte a second
CHIP, BAND, GAP = ("registers", "shared", "l2"), 42, 38
SAY = {
    "en": {
        "label": "Memory levels of the A100, the H100 and the H200. Registers, shared"
        " memory and L2 hold {chip} on the H200: specks beside its {hbm} slab of HBM."
        " The arrows between the levels get narrower on the way down: {ways}.",
        "registers": "registers, all SMs", "shared": "shared memory, all SMs",
        "l2": "L2 cache", "hbm": "HBM", "none": "not stated",
        "scale": ("area, also of a dot: capacity", "width of an arrow: bandwidth"),
        "nvlink": "NVLink", "pcie": "PCIe",
    },
    "zh": {
        "label": "A100、H100、H200 的内存层次结构。H200 的寄存器、共享内存和 L2 缓存"
        "容量依次为 {chip}，和 {hbm} 的 HBM 一比只是小点。"
        "越往下，各层之间的箭头越窄：{ways}。",
        "registers": "寄存器（全部 SM）", "shared": "共享内存（全部 SM）",
        "l2": "L2 缓存", "hbm": "HBM", "none": "未公布",
        "scale": ("面积（小点也算）表示容量", "箭头宽度表示带宽"),
        "nvlink": "NVLink", "pcie": "PCIe",
    },
}


def value(gpu, level, quantity):
    """A number of hardware.py, or None."""
    return GPUS[gpu]["levels"][level].get(quantity, {"value": None})["value"]


def chip(x, gpu, say):
    """The levels on the chip: a speck as large as its capacity, an arrow from below."""
    out = []
    for n, level in enumerate(CHIP):
        y = 24 + n * (BAND + GAP)
        side = (AREA * value(gpu, level, "capacity")) ** 0.5
        at = x + 26 - side / 2, y + 29 - side / 2
        out.append(s.rect(*at, round(side, 2), round(side, 2), "tw-dot"))
        lead = round(x + 30 + side / 2, 1)  # from the speck to what it holds
        out.append(s.path(f"M{lead} {y + 29}H{x + 52}", "tw-faint"))
        out.append(s.text(x + 56, y + 34, size(value(gpu, level, "capacity"))))
        below = CHIP[n + 1] if n < 2 else "hbm"
        speed, top = value(gpu, below, "bandwidth"), y + BAND
        width = WIDTH * (speed or 5e12)
        cls = "tw-m" if speed else "tw-slot"
        out.append(s.arrow(x + 26, top + GAP - 1, 0, 2 - GAP, round(width, 1), cls))
        said = rate(speed) if speed else say["none"]
        out.append(s.text(x + 56, top + 24, said, "" if speed else "tw-small"))
    return out


def outside(x, gpu, say):
    """The slab of HBM, and what leaves the card, as lines to the same scale."""
    top, hbm = 24 + 3 * (BAND + GAP), value(gpu, "hbm", "capacity")
    high = AREA * hbm / WIDE
    out = [s.rect(x, top, WIDE, round(high, 1), "tw-hbm", 'rx="3"')]
    out.append(s.middle(x + WIDE / 2, top + high / 2 + 5, size(hbm)))
    for n, link in enumerate(("nvlink", "pcie")):
        speed, y = value(gpu, link, "bandwidth"), top + 150 + 24 + 40 * n
        out.append(s.rect(x, y + 6, WIDE, round(WIDTH * speed, 3), "tw-dot"))
        out.append(s.text(x, y, f"{say[link]} {rate(speed)}", "tw-small"))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, out = SAY[lang], []
    for n, level in enumerate(CHIP):
        y = 24 + n * (BAND + GAP)
        out.append(s.rect(0.5, y, 399, BAND, "tw-rule", 'rx="5"'))
        out.append(s.text(6, y + 16, say[level], "tw-small tw-muted"))
    for n, gpu in enumerate(GPUS):
        x = n * COLUMN + 2
        out.append(s.middle(x + WIDE / 2, 15, gpu, "tw-strong"))
        out += chip(x, gpu, say) + outside(x, gpu, say)
    out.append(s.text(6, 24 + 3 * (BAND + GAP) + 15, say["hbm"], "tw-small tw-muted"))
    out += s.lines(200, 514, 18, say["scale"], "tw-small tw-muted", "middle")
    joined = ", " if lang == "en" else "、"
    facts = {
        "chip": joined.join(size(value("H200", x, "capacity")) for x in CHIP),
        "hbm": size(value("H200", "hbm", "capacity")),
        "ways": joined.join(rate(value("H200", x, "bandwidth")) for x in LEVELS[1:4]),
    }
    return s.svg(400, 538, say["label"].format(**facts), *out)
