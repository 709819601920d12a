"""Recomputes the numbers of pages from stored scores.

    recompute.py FOLDER PAGE…

A comment in a page names the scores of the text that follows it, up to the next heading or comment of this kind:

    <!-- scores configs/extrapolation.csv: near = accuracy.near, far = accuracy.far, * = accuracy.near -->

In tables, a column "near, 512 (8x)" is then accuracy.near at 512 tokens, and "64 (1x)" the metric of *. A row is called as in the
scores; a label in italics ends with its name in brackets. A cell is a mean over seeds, with ± the sample standard deviation. In the
text, "0.43 (0.40 to 0.55)" is the median difference between two rows at the longest length and its interval, by the procedure of
experiments/README.md, and any other number with a decimal point is a mean over seeds. Uses nothing of the project's code.
"""
import collections
import csv
import itertools
import math
import pathlib
import re
import statistics
import sys

GATE = 0.95


def scores_of(path):
    """{(row, length, condition, metric): {seed: value}}; readers have one value, with an empty seed."""
    scores = collections.defaultdict(dict)
    with open(path, newline="") as file:
        for line in csv.DictReader(file):
            key = (line["row"], int(line["length"]), line["condition"], line["metric"])
            scores[key][line["seed"]] = float(line["value"])
    return scores


def wrong_counts(text, path, names):
    """Numbers of targets: "at least 3,991 near and 246 far questions" are the fewest of a seed past the shortest length."""
    with open(path, newline="") as file:
        lines = [line for line in csv.DictReader(file) if line["seed"] and line["condition"] == "trained"]
    shortest = min(int(line["length"]) for line in lines)
    for found in re.findall(r"at least ([\d,]+) (\w+) and ([\d,]+) (\w+) questions", text.replace("\n", " ")):
        for number, name in (found[:2], found[2:]):
            fewest = min(
                int(line["tokens"])
                for line in lines
                if line["metric"] == names[name] and int(line["length"]) > shortest
            )
            if number != f"{fewest:,}":
                yield f"got at least {number} {name} questions, expected {fewest:,}"


def below(n, j):
    """P(Bin(n, 1/2) < j)."""
    return sum(math.comb(n, i) for i in range(j)) / 2**n


def interval(differences, level):
    """Order statistics with 2 P(Bin(n, 1/2) < j) <= level, or None."""
    n = len(differences)
    j = max((j for j in range(1, n // 2 + 1) if 2 * below(n, j) <= level), default=0)
    return (sorted(differences)[j - 1], sorted(differences)[n - j]) if j else None


def comparisons(scores, metrics):
    """Median difference and interval of all pairs of ranked rows at the longest length, decided together (Holm)."""
    longest = max(length for _, length, _, _ in scores)
    shortest = min(length for _, length, _, _ in scores)
    pairs = []
    for metric in metrics:
        rows = []
        for (row, length, condition, of), values in scores.items():
            if (length, condition, of) != (longest, "trained", metric) or "" in values:
                continue
            gate = scores[row, shortest, "trained", metrics[0]].values()
            if 4 * sum(value >= GATE for value in gate) >= 3 * len(gate):
                rows.append(values)
        for a, b in itertools.combinations(rows, 2):
            differences = [a[seed] - b[seed] for seed in a]
            ahead = max(sum(d > 1e-12 for d in differences), sum(d < -1e-12 for d in differences))
            p = min(1.0, 2 * (1 - below(len(differences), ahead)))
            pairs.append((p, differences))
    pairs.sort(key=lambda pair: pair[0])
    texts, is_open = set(), False
    for p, differences in pairs:
        if not is_open:
            level = 0.05 / sum(other >= p for other, _ in pairs)
            is_open = p > level
        found = interval(differences, level)
        for sign in (1, -1) if found else ():
            low, high = sorted((sign * found[0], sign * found[1]))
            texts.add(f"{sign * statistics.median(differences):.2f} ({low:.2f} to {high:.2f})")
    return texts


def cell_of(values):
    values = list(values.values())
    mean = f"{statistics.mean(values):.3f}"
    return mean if len(values) == 1 else f"{mean} ± {statistics.stdev(values):.3f}"


def wrong_cells(lines, scores, names):
    """Cells of a table that are not what the scores give."""
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    columns = {}
    for i, title in enumerate(cells[0]):
        found = re.fullmatch(r"(?:(\w+), )?(\d+) \(\d+x\)", title)
        if found:
            columns[i] = (names[found[1] or "*"], int(found[2]))
    for row in cells[2:]:
        label = re.fullmatch(r"\*.*\((.*)\)\*", row[0])
        label = label[1] if label else row[0]
        for i, (metric, length) in columns.items():
            values = scores.get((label, length, "trained", metric))
            expected = cell_of(values) if values else "fails"
            if row[i].strip("*") != expected:
                yield f"{label}, {cells[0][i]}: got {row[i]}, expected {expected}"


def wrong_numbers(text, scores, names):
    """Numbers of a text that are neither a comparison nor a mean."""
    metrics = [metric for name, metric in names.items() if name != "*"]
    compared = comparisons(scores, metrics)
    pattern = r"\d\.\d+ \(\d\.\d+ to \d\.\d+\)"
    for found in re.findall(pattern, text):
        if found not in compared:
            yield f"got {found}, expected a median difference and its interval, one of {sorted(compared)}"
    means = [statistics.mean(values.values()) for values in scores.values()]
    for number in re.findall(r"(?<![\w.])\d\.\d+", re.sub(pattern, "", text)):
        digits = len(number) - 2
        if all(f"{mean:.{digits}f}" != number for mean in means):
            yield f"got {number}, expected a mean over seeds"


def check(root, page):
    """Prints what is wrong with a page, and returns how many numbers stood under a comment."""
    checked, mistakes = 0, []
    parts = re.split(r"<!-- scores (\S+): (.*?) -->", (root / page).read_text())
    for before, path, mapping, rest in zip(parts[0::3], parts[1::3], parts[2::3], parts[3::3]):
        section = re.split(r"^#+ ", rest, flags=re.M)[0]
        scores = scores_of(root / path)
        names = dict(part.strip().split(" = ") for part in mapping.split(","))
        lines = section.splitlines()
        text = "\n".join(line for line in lines if not line.startswith("|"))
        for is_table, block in itertools.groupby(lines, key=lambda line: line.startswith("|")):
            if is_table:
                mistakes += wrong_cells(list(block), scores, names)
        mistakes += wrong_numbers(text, scores, names)
        mistakes += wrong_counts(before.split("\n#")[-1] + text, root / path, names)
        checked += len(re.findall(r"\d\.\d+", section))
    for mistake in mistakes:
        print(f"{page}: {mistake}")
    return checked, len(mistakes)


def main():
    root = pathlib.Path(sys.argv[1])
    results = [check(root, page) for page in sys.argv[2:]]
    checked = sum(checked for checked, _ in results)
    print(f"{checked} numbers recomputed")
    return 1 if checked == 0 or any(mistakes for _, mistakes in results) else 0


if __name__ == "__main__":
    sys.exit(main())
