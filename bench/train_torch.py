"""Trains 784-2000-10 with PyTorch, as its users write it; prints the samples a second of the fastest epoch.

    train_torch.py X.npy Y.npy BATCH EPOCHS THREADS
"""
import sys
import time

import numpy
import torch

inputs_path, targets_path, batch, epochs, threads = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
torch.set_num_threads(threads)
torch.set_flush_denormal(True)
torch.manual_seed(1)
inputs = torch.from_numpy(numpy.load(inputs_path).astype(numpy.float32))
targets = torch.from_numpy(numpy.load(targets_path).astype(numpy.float32))
model = torch.nn.Sequential(torch.nn.Linear(784, 2000), torch.nn.ReLU(), torch.nn.Linear(2000, 10))
for layer in (model[0], model[2]):
    torch.nn.init.normal_(layer.weight, std=(2.0 / layer.in_features) ** 0.5)
    torch.nn.init.zeros_(layer.bias)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_function = torch.nn.MSELoss()

fastest = float("inf")
for _ in range(epochs):
    start = time.perf_counter()
    for rows in torch.randperm(len(inputs)).split(batch):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_function(model(inputs[rows]), targets[rows])
        loss.backward()
        optimizer.step()
    fastest = min(fastest, time.perf_counter() - start)
print(len(inputs) / fastest)
