"""Recomputes the numbers of pages from stored scores.

    recompute.py FOLDER PAGE…

A comment in a page names the scores of the text that follows it, up to the next heading or comment of this kind:

    <!-- scores configs/extrapolation.scores.csv: near = accuracy.near, far = accuracy.far, * = accuracy.near -->

In tables, a column "near, 512 (8x)" is then accuracy.near at 512 tokens, and "64 (1x)" the metric of *. A row is called as in the
scores; a label in italics ends with its name in brackets. A cell is a mean over seeds, with ± the sample standard deviation. In the
text, "0.43 (0.40 to 0.55)" is the median difference between two rows at the longest length and its interval, by the procedure of
experiments/README.md, and any other number with a decimal point is a mean over seeds. Uses nothing of the project's code.
"""
import csv
import itertools
import pathlib
import re
import statistics
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from reference_statistics import Comparison, decide, most_learned, read_scores


def wrong_counts(text, path, names):
    """Numbers of targets: "at least 3,991 near and 246 far questions" are the fewest of a seed past the shortest length."""
    with open(path, newline="") as file:
        lines = [line for line in csv.DictReader(file) if line["seed"] and line["condition"] == "trained"]
    shortest = min(int(line["length"]) for line in lines)
    for found in re.findall(r"at least ([\d,]+) (\w+) and ([\d,]+) (\w+) questions", text.replace("\n", " ")):
        for number, name in (found[:2], found[2:]):
            of_name = [line for line in lines if line["metric"] == names[name] and int(line["length"]) > shortest]
            fewest = min(int(line["tokens"]) for line in of_name)
            if number != f"{fewest:,}":
                yield f"got at least {number} {name} questions, expected {fewest:,}"


def comparisons(scores, learned, metrics):
    """Median difference and interval of all pairs of ranked rows at the longest length, decided together."""
    longest = max(length for _, length, _, _ in scores)
    family = []
    for metric in metrics:
        ranked = [row for row, seeds in learned.items() if most_learned(seeds)]
        values = [scores[row, longest, "trained", metric] for row in ranked]
        for a, b in itertools.combinations(filter(None, values), 2):
            family.append(Comparison([a[seed] - b[seed] for seed in a]))
    decide(family)
    for one in family:
        for sign in (1, -1) if one.interval else ():
            low, high = sorted(sign * end for end in one.interval)
            yield f"{sign * statistics.median(one.differences):.2f} ({low:.2f} to {high:.2f})"


def cell_of(values):
    mean = f"{statistics.mean(values.values()):.3f}" if values else "fails"
    return f"{mean} ± {statistics.stdev(values.values()):.3f}" if len(values) > 1 else mean


def wrong_cells(lines, scores, names):
    """Cells of a table that are not what the scores give."""
    titles, _, *rows = ([cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines)
    for row in rows:
        label = re.sub(r"\*.*\((.*)\)\*", r"\1", row[0])
        for title, cell in zip(titles, row):
            found = re.fullmatch(r"(?:(\w+), )?(\d+) \(\d+x\)", title)
            if found:
                expected = cell_of(scores.get((label, int(found[2]), "trained", names[found[1] or "*"]), {}))
                if cell.strip("*") != expected:
                    yield f"{label}, {title}: got {cell}, expected {expected}"


def wrong_numbers(text, scores, learned, names):
    """Numbers of a text that are neither a comparison nor a mean."""
    compared = set(comparisons(scores, learned, [metric for name, metric in names.items() if name != "*"]))
    pattern = r"\d\.\d+ \(\d\.\d+ to \d\.\d+\)"
    for found in set(re.findall(pattern, text)) - compared:
        yield f"got {found}, expected a median difference and its interval, one of {sorted(compared)}"
    means = [statistics.mean(values.values()) for values in scores.values() if values]
    for number in re.findall(r"(?<![\w.])\d\.\d+", re.sub(pattern, "", text)):
        if all(f"{mean:.{len(number) - 2}f}" != number for mean in means):
            yield f"got {number}, expected a mean over seeds"


def check(root, page):
    """Prints what is wrong with a page, and returns how many numbers stood under a comment, and how many mistakes."""
    checked, mistakes = 0, []
    parts = re.split(r"<!-- scores (\S+): (.*?) -->", (root / page).read_text())
    for before, path, mapping, rest in zip(parts[0::3], parts[1::3], parts[2::3], parts[3::3]):
        section = re.split(r"^#+ ", rest, flags=re.M)[0]
        scores, learned = read_scores(root / path)
        names = dict(part.strip().split(" = ") for part in mapping.split(","))
        lines = section.splitlines()
        text = "\n".join(line for line in lines if not line.startswith("|"))
        for is_table, block in itertools.groupby(lines, key=lambda line: line.startswith("|")):
            mistakes += wrong_cells(block, scores, names) if is_table else []
        mistakes += wrong_numbers(text, scores, learned, names)
        mistakes += wrong_counts(before.split("\n#")[-1] + text, root / path, names)
        checked += len(re.findall(r"\d\.\d+", section))
    print("".join(f"{page}: {mistake}\n" for mistake in mistakes), end="")
    return checked, len(mistakes)


def main():
    root = pathlib.Path(sys.argv[1])
    checked, mistakes = map(sum, zip(*(check(root, page) for page in sys.argv[2:])))
    print(f"{checked} numbers recomputed")
    return 1 if checked == 0 or mistakes else 0


sys.exit(main())
