"""Times the training step of experiments/benchmark.cpp in PyTorch: the same model, batch, clipping and optimizer.

One process times one setting: `pytorch_step.py SIZE eager|compile THREADS STEPS [TRAININGS]` prints the median milliseconds.
With TRAININGS, it runs as many steps as that many trainings of STEPS each have: on one model, which is compiled once.
PyTorch is given its fast paths: scaled_dot_product_attention, fused AdamW, set_to_none, and torch.compile as an option.
"""
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

SIZES = {  # vocab_size, d_model, heads, layers, seq_len, batch
    "tiny": (32, 64, 4, 2, 64, 32),
    "small": (64, 128, 4, 4, 128, 16),
    "medium": (256, 256, 8, 4, 256, 8),
    "big": (1024, 512, 8, 6, 512, 4),
}


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm, self.feed_forward_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.attention_norm(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.output(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.feed_forward_norm(x))))


class Model(nn.Module):
    def __init__(self, vocab_size, width, heads, layers, length):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocab_size, width), nn.Parameter(0.02 * torch.randn(length, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.positions
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.norm(x), self.tokens.weight)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def main():
    size, mode, threads, steps = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    vocab_size, width, heads, layers, length, batch = SIZES[size]
    model = Model(vocab_size, width, heads, layers, length)
    loss_of = torch.compile(model) if mode == "compile" else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.01, fused=True)
    tokens, targets = torch.randint(vocab_size, (2, batch, length))
    trainings = int(sys.argv[5]) if len(sys.argv) > 5 else 1

    times = []
    for step in range(trainings * steps + 3):
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss_of(tokens, targets).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step >= 3:
            times.append(1e3 * (time.perf_counter() - start))
    print(f"{statistics.median(times):.3f}")


if __name__ == "__main__":
    main()
