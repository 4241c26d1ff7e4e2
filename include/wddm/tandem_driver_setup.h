// What `tandem driver build` read in the driver's setup file. Tandem's addition to the contract.
#pragma once

// A variable of type int that a driver may export: MSISupported of its setup file. On Windows it is a value of the device's
// registry key, and decides if the device has message interrupts or a line.
#define TANDEM_MESSAGE_INTERRUPTS "TandemMessageInterrupts"
