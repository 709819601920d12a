"""The procedure of experiments/README.md once more, for the scripts that recompute what the programs decided."""
import collections
import csv
import io
import math


FEWEST_TARGETS = 100
FEW = math.inf


def score_lines(*paths):
    """The lines behind the comments of files of scores."""
    for path in paths:
        with open(path, newline="") as file:
            text = file.read()
        while text.startswith("# "):
            text = text.partition("\n")[2]
        yield from csv.DictReader(io.StringIO(text))


def read_scores(*paths):
    """{(row, length, condition, metric): {seed: value}} and {row: [whether a seed learned]}. Readers have one value, with the seed "". A value
    on too few targets is FEW; a seed of which it is unknown whether it learned did not."""
    scores, learned = collections.defaultdict(dict), collections.defaultdict(dict)
    for line in score_lines(*paths):
        key = (line["row"], int(line["length"]), line["condition"], line["metric"])
        is_few = line["seed"] and line["value"] and int(line["tokens"]) < FEWEST_TARGETS
        scores[key][line["seed"]] = FEW if is_few else float(line["value"] or "nan")
        if line["seed"]:
            learned[line["row"]][line["seed"]] = line["learned"] == "1"
    return scores, {row: list(seeds.values()) for row, seeds in learned.items()}


def most_learned(seeds):
    return 4 * sum(seeds) >= 3 * len(seeds)


def both_tails(n, k):
    """2 P(Bin(n, 1/2) <= k), at most 1."""
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n)


class Comparison:
    def __init__(self, differences, looks=1):
        self.differences, self.looks = sorted(differences), looks
        self.ahead, self.behind = self.counts(0.0)

    def counts(self, margin):
        """In how many seeds the difference is above the margin, and below it."""
        above = [difference - margin for difference in self.differences]
        return sum(d > 1e-12 for d in above), sum(d < -1e-12 for d in above)

    def p(self):
        n = len(self.differences)
        return min(1.0, self.looks * both_tails(n, n - max(self.ahead, self.behind)))


def decide(family):
    """Gives each comparison its verdict and its interval, or None (Holm, and order statistics)."""
    level, goes_on = 0.0, True
    for one in sorted(family, key=Comparison.p):
        if goes_on:
            level = 0.05 / sum(other.p() >= one.p() for other in family)
            goes_on = one.p() <= level
        n = len(one.differences)
        outside = next(j for j in range(n + 2) if j > n or both_tails(n, j) > level / one.looks)
        one.interval = (one.differences[outside - 1], one.differences[n - outside]) if outside else None
        one.verdict = "undecided" if not goes_on else "holds" if one.ahead > one.behind else "fails"
