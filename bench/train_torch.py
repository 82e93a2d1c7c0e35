"""Trains a network with PyTorch, as its users write it; prints the samples a second of the fastest epoch.

    train_torch.py X.npy Y.npy LABELS.npy WIDTHS BATCH EPOCHS THREADS LOSS OPTIMIZER

WIDTHS are such as 256,256; LOSS squared or cross-entropy; OPTIMIZER adam, adamw or sgd.
"""
import sys
import time

import numpy
import torch

inputs_path, targets_path, labels_path, widths, batch, epochs, threads, loss_name, optimizer_name = sys.argv[1:10]
torch.set_num_threads(int(threads))
torch.set_flush_denormal(True)
torch.manual_seed(1)
inputs = torch.from_numpy(numpy.load(inputs_path).astype(numpy.float32))
if loss_name == "squared":
    targets, loss_function = torch.from_numpy(numpy.load(targets_path).astype(numpy.float32)), torch.nn.MSELoss()
else:
    targets, loss_function = torch.from_numpy(numpy.load(labels_path).astype(numpy.int64)[:, 0]), torch.nn.CrossEntropyLoss()
outputs = numpy.load(targets_path, mmap_mode="r").shape[1]
sizes = [inputs.shape[1], *map(int, widths.split(",")), outputs]
layers = []
for fan_in, fan_out in zip(sizes, sizes[1:]):
    layer = torch.nn.Linear(fan_in, fan_out)
    torch.nn.init.normal_(layer.weight, std=(2.0 / fan_in) ** 0.5)
    torch.nn.init.zeros_(layer.bias)
    layers += [layer, torch.nn.ReLU()]
model = torch.nn.Sequential(*layers[:-1])
optimizer = {"adam": lambda p: torch.optim.Adam(p, lr=1e-3), "adamw": lambda p: torch.optim.AdamW(p, lr=1e-3),
             "sgd": lambda p: torch.optim.SGD(p, lr=1e-2)}[optimizer_name](model.parameters())

fastest = float("inf")
for _ in range(int(epochs)):
    start = time.perf_counter()
    for rows in torch.randperm(len(inputs)).split(int(batch)):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_function(model(inputs[rows]), targets[rows])
        loss.backward()
        optimizer.step()
    fastest = min(fastest, time.perf_counter() - start)
print(len(inputs) / fastest)
