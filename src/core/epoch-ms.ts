/** A time, in milliseconds since the Unix epoch. */
export type EpochMs = number;
