// Copies a tile-coded slice between buffers: as many words as its row table gives, at most the size of its place. Only bytes in
// use cross a link.
#version 450

layout(local_size_x = 64) in;

// link_recorder.cpp has an equal block. In words of 32 bits.
layout(push_constant) uniform Job {
  uint from;
  uint to;
  uint rowCount;
  uint room;  // words of each place, the table included
} job;

layout(set = 0, binding = 0) readonly buffer From { uint fromWords[]; };
layout(set = 0, binding = 1) writeonly buffer To { uint toWords[]; };

const uint kThreads = 64u;
const uint kHeaderWords = 12u;

shared uint sums[kThreads];

void main() {
  const uint local = gl_LocalInvocationID.x;
  uint sum = 0u;
  for (uint row = local; row < job.rowCount; row += kThreads) sum += fromWords[job.from + kHeaderWords + row];
  sums[local] = sum;
  for (uint step = kThreads / 2u; step != 0u; step /= 2u) {
    barrier();
    if (local < step) sums[local] += sums[local + step];
  }
  barrier();
  // A damaged table may contain any values.
  const uint words = min(kHeaderWords + job.rowCount + min(sums[0], 4u * job.room) / 4u + 1u, job.room);
  const uint stride = gl_NumWorkGroups.x * kThreads;
  for (uint i = gl_GlobalInvocationID.x; i < words; i += stride) toWords[job.to + i] = fromWords[job.from + i];
}
