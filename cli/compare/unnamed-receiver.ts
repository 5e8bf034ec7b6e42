import { getAddress, type Address, type Hex } from 'viem';

/** Where the first argument of a call begins and ends, in characters. */
const [START, END] = [10, 74];

/** The call of a claim's order for a mint: its receiver, whom every mint names first, is the zero address until then. */
export function withoutReceiver(data: Hex): Hex {
  return `0x${data.slice(2, START)}${'0'.repeat(END - START)}${data.slice(END)}`;
}

/** The receiver that a mint names. */
export function receiverOf(data: Hex): Address {
  return getAddress(`0x${data.slice(END - 40, END)}`);
}
