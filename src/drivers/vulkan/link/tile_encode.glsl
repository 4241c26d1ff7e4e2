// Shared by the three shaders of an encoding: the job, and the records that the first one leaves for the others.

// tile_encode_shader.cpp has an equal block. Positions and pitches are in words of 32 bits.
layout(push_constant) uniform Job {
  uint width;
  uint height;
  uint firstRow;
  uint rowCount;
  uint channels;
  uint frame;
  uint framePitch;
  uint reference;
  uint referencePitch;
  uint flags;
  uint slice;
} job;

const uint kHasReference = 1u;
const uint kRedFirst = 2u;

const uint kTiles = 64u;
const uint kHeaderBytes = 48u;
const uint kUnchanged = 0u;
const uint kRepeated = 1u;
const uint kRaw = 2u;
const uint kPalette = 3u;
const uint kPredicted = 18u;

// Per tile: its entry with the byte count from bit 8 on, the position of its bytes in the row, and the bytes.
const uint kRecordWords = 66u;
const uint kRecordBytes = 2u;

uint tilesAcross() { return (job.width + 7u) / 8u; }
uint recordOf(uint row, uint tile) { return (row * tilesAcross() + tile) * kRecordWords; }
