// codec::DecodeTileSlice over the reference frame: unchanged tiles stay. A workgroup decodes 64 tiles of a row, an invocation
// one tile. codec/tiles/tile_format.h defines the input. For any input, nothing outside the slice is read and nothing outside
// the frame is written.
#version 450

layout(local_size_x = 64) in;

// tile_shader.cpp has an equal block. Position and pitch of the frame are in words of 32 bits.
layout(push_constant) uniform Job {
  uint width;
  uint height;
  uint firstRow;
  uint rowCount;
  uint channels;
  uint slice;       // first word
  uint sliceBytes;
  uint frame;
  uint framePitch;
  uint redFirst;
} job;

layout(set = 0, binding = 0) readonly buffer Slice { uint sliceWords[]; };
layout(set = 0, binding = 1) buffer Frame { uint frameWords[]; };

const uint kTiles = 64u;
const uint kHeaderBytes = 48u;
const uint kUnchanged = 0u;
const uint kRepeated = 1u;
const uint kRaw = 2u;
const uint kPalette = 3u;
const uint kPredicted = 18u;
const uint kLeft = 0u;
const uint kAbove = 1u;

shared uint sums[kTiles];
shared uint lasts[kTiles];
shared uint places[kTiles];
shared uint entries[kTiles];

uint wordAt(uint index) { return index < (job.sliceBytes + 3u) / 4u ? sliceWords[job.slice + index] : 0u; }
uint byteAt(uint place) { return (wordAt(place / 4u) >> (8u * (place & 3u))) & 255u; }

// Eight bytes from any byte position.
uvec2 bytesAt(uint place) {
  const uint word = place / 4u;
  const uint shift = 8u * (place & 3u);
  const uvec3 words = uvec3(wordAt(word), wordAt(word + 1u), wordAt(word + 2u));
  return shift == 0u ? words.xy : (words.xy >> shift) | (words.yz << (32u - shift));
}

uint tileBytes(uint entry) {
  if (entry <= kRepeated) return 0u;
  if (entry == kRaw) return 64u * job.channels;
  if (entry >= kPredicted) return 1u + job.channels + entry - kPredicted;
  const uint colors = entry - kPalette + 2u;
  return job.channels * colors + 8u * uint(findMSB(colors - 1u) + 1);
}

// Computes inclusive prefix sums in `sums` and prefix maxima in `lasts` over the workgroup.
void scan(uint local, uint sum, uint last) {
  sums[local] = sum;
  lasts[local] = last;
  for (uint step = 1u; step < kTiles; step *= 2u) {
    barrier();
    const uint otherSum = local >= step ? sums[local - step] : 0u;
    const uint otherLast = local >= step ? lasts[local - step] : 0u;
    barrier();
    sums[local] += otherSum;
    lasts[local] = max(lasts[local], otherLast);
  }
  barrier();
}

uvec2 addBytes(uvec2 a, uvec2 b) { return ((a & 0x7F7F7F7Fu) + (b & 0x7F7F7F7Fu)) ^ ((a ^ b) & 0x80808080u); }

uvec2 runningSums(uvec2 v) {
  v = addBytes(v, v << 8);
  v = addBytes(v, v << 16);
  return addBytes(v, uvec2(0u, (v.x >> 24) * 0x01010101u));
}

// Moves bit 8 j + p of the 64 to bit 8 p + j.
uvec2 transposed(uvec2 v) {
  uvec2 t = (v ^ (v >> 7)) & 0x00AA00AAu;
  v ^= t ^ (t << 7);
  t = (v ^ (v >> 14)) & 0x0000CCCCu;
  v ^= t ^ (t << 14);
  const uint s = (v.x ^ (v.y << 4)) & 0xF0F0F0F0u;
  return uvec2(v.x ^ s, v.y ^ (s >> 4));
}

uvec2 unfolded(uvec2 v) { return ((v >> 1) & 0x7F7F7F7Fu) ^ ((v & 0x01010101u) * 0xFFu); }

uvec2 firstBytes(uvec2 v, uint count) {
  if (count >= 8u) return v;
  if (count >= 4u) return uvec2(v.x, v.y & ((1u << (8u * (count - 4u))) - 1u));
  return uvec2(v.x & ((1u << (8u * count)) - 1u), 0u);
}

// A row of a tile: its samples in each channel.
struct Row {
  uvec2 channel[4];
};

void store(uint tile, uint tileRow, uint y, Row row) {
  const uint left = 8u * tile;
  const uint line = 8u * tileRow + y;
  if (line >= job.height) return;
  if (job.channels == 1u) {
    for (uint i = 0u; i < 2u && left + 4u * i < job.width; ++i) {
      const uint at = job.frame + line * job.framePitch + left / 4u + i;
      const uint inside = min(job.width - left - 4u * i, 4u);
      const uint mask = inside == 4u ? ~0u : (1u << (8u * inside)) - 1u;
      frameWords[at] = inside == 4u ? row.channel[0][i] : (frameWords[at] & ~mask) | (row.channel[0][i] & mask);
    }
    return;
  }
  const uvec2 green = row.channel[0];
  const uvec2 blue = addBytes(row.channel[1], green);
  const uvec2 red = addBytes(row.channel[2], green);
  const uvec2 low = job.redFirst != 0u ? red : blue;
  const uvec2 high = job.redFirst != 0u ? blue : red;
  const uvec2 alpha = job.channels == 4u ? row.channel[3] : uvec2(~0u);
  for (uint x = 0u; x < min(8u, job.width - left); ++x) {
    const uint word = x / 4u;
    const uint shift = 8u * (x & 3u);
    frameWords[job.frame + line * job.framePitch + left + x] =
        ((low[word] >> shift) & 255u) | (((green[word] >> shift) & 255u) << 8) | (((high[word] >> shift) & 255u) << 16) |
        (((alpha[word] >> shift) & 255u) << 24);
  }
}

void decodePredicted(uint tile, uint tileRow, uint place) {
  const uint head = byteAt(place);
  const uint predictor = head & 3u;
  const uint dropped = (0x4210u >> (4u * (head >> 6))) & 15u;
  uint widthBits[4];
  uint at[4];
  uint next = place + 1u + job.channels + 3u * uint(bitCount((head >> 2) & 15u));
  uint widthsAt = place + 1u + job.channels;
  for (uint c = 0u; c < 4u; ++c) {
    at[c] = next;
    widthBits[c] = 0u;
    if (c >= job.channels || ((head >> (2u + c)) & 1u) == 0u) continue;
    const uint bits = bytesAt(widthsAt).x & 0xFFFFFFu;
    widthsAt += 3u;
    widthBits[c] = bits;
    next += uint(bitCount(bits & 0xFFu) + 2 * bitCount(bits & 0xFF00u) + 4 * bitCount(bits & 0xFF0000u) +
                 bitCount(bits & (bits >> 8) & (bits >> 16)));
  }
  Row before;
  for (uint y = 0u; y < 8u; ++y) {
    Row row;
    for (uint c = 0u; c < 4u; ++c) {
      row.channel[c] = uvec2(0u);
      if (c >= job.channels) continue;
      const uint told = ((widthBits[c] >> y) & 1u) | (((widthBits[c] >> (8u + y)) & 1u) << 1) |
                        (((widthBits[c] >> (16u + y)) & 1u) << 2);
      const uint count = told == 7u ? 8u : told;
      const uvec2 differences = unfolded(transposed(firstBytes(bytesAt(at[c]), count)));
      at[c] += count;
      if (y == 0u) {
        row.channel[c] = addBytes(runningSums(differences), uvec2(byteAt(place + 1u + c) * 0x01010101u));
      } else if (predictor == kAbove) {
        row.channel[c] = addBytes(differences, before.channel[c]);
      } else {
        const uvec2 first = uvec2((before.channel[c].x & 255u) * 0x01010101u);
        row.channel[c] = addBytes(runningSums(differences), predictor == kLeft ? first : before.channel[c]);
      }
    }
    before = row;
    if (dropped != 0u) {
      for (uint c = 0u; c < job.channels; ++c) {
        const uint kept = (0xFFu >> dropped) * 0x01010101u;
        const uint middle = c == 1u || c == 2u ? 0u : (1u << (dropped - 1u)) * 0x01010101u;
        row.channel[c] = ((row.channel[c] & kept) << dropped) | middle;
      }
    }
    store(tile, tileRow, y, row);
  }
}

void decodePalette(uint tile, uint tileRow, uint place, uint entry) {
  const uint colors = entry - kPalette + 2u;
  const uint bits = uint(findMSB(colors - 1u) + 1);
  const uint indices = place + job.channels * colors;
  for (uint y = 0u; y < 8u; ++y) {
    Row row;
    for (uint c = 0u; c < 4u; ++c) row.channel[c] = uvec2(0u);
    for (uint x = 0u; x < 8u; ++x) {
      uint index = 0u;
      for (uint bit = 0u; bit < bits; ++bit) index |= ((byteAt(indices + 8u * bit + y) >> x) & 1u) << bit;
      if (index >= colors) continue;
      for (uint c = 0u; c < job.channels; ++c) {
        row.channel[c][x / 4u] |= byteAt(place + index * job.channels + c) << (8u * (x & 3u));
      }
    }
    store(tile, tileRow, y, row);
  }
}

void decodeRaw(uint tile, uint tileRow, uint place) {
  for (uint y = 0u; y < 8u; ++y) {
    Row row;
    for (uint c = 0u; c < 4u; ++c) row.channel[c] = c < job.channels ? bytesAt(place + 64u * c + 8u * y) : uvec2(0u);
    store(tile, tileRow, y, row);
  }
}

void main() {
  const uint local = gl_LocalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  const uint tiles = (job.width + 7u) / 8u;
  const uint firstTile = gl_WorkGroupID.x * kTiles;
  uint rowPlace = 0u;
  for (uint other = local; other < row; other += kTiles) rowPlace += wordAt(kHeaderBytes / 4u + other);
  scan(local, rowPlace, 0u);
  rowPlace = kHeaderBytes + 4u * job.rowCount + sums[kTiles - 1u];
  if (wordAt(kHeaderBytes / 4u + row) == 0u) return;  // equal in the whole workgroup

  uint sum = 0u;
  uint last = 0u;  // 1 + the last tile with bytes; 0: none
  for (uint other = local; other < firstTile; other += kTiles) {
    const uint entry = byteAt(rowPlace + other);
    sum += tileBytes(entry);
    if (entry > kRepeated) last = other + 1u;
  }
  barrier();
  scan(local, sum, last);
  const uint sumBefore = sums[kTiles - 1u];
  const uint lastBefore = lasts[kTiles - 1u];
  barrier();

  const uint tile = firstTile + local;
  const uint entry = tile < tiles ? byteAt(rowPlace + tile) : kUnchanged;
  const uint bytes = tileBytes(entry);
  entries[local] = entry;
  scan(local, bytes, entry > kRepeated ? tile + 1u : 0u);
  places[local] = rowPlace + tiles + sumBefore + sums[local] - bytes;
  const uint source = max(lasts[local], lastBefore);
  barrier();

  if (entry == kUnchanged || source == 0u) return;
  uint kind = 0u;
  uint place = 0u;
  if (source > firstTile) {
    kind = entries[source - 1u - firstTile];
    place = places[source - 1u - firstTile];
  } else {
    kind = byteAt(rowPlace + source - 1u);
    place = rowPlace + tiles + sumBefore - tileBytes(kind);
  }
  const uint tileRow = job.firstRow + row;
  if (kind >= kPredicted) {
    decodePredicted(tile, tileRow, place);
  } else if (kind >= kPalette) {
    decodePalette(tile, tileRow, place, kind);
  } else {
    decodeRaw(tile, tileRow, place);
  }
}
