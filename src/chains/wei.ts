/** An amount of a chain's native coin, in its smallest unit: 10^-18 of a coin. */
export type Wei = bigint;
