export const mailWords = {
  worse: { subject: 'Needs attention: {name}' },
  well: { subject: 'In order again: {name}' },
  /** A check and what it found. */
  line: '{label}: {finding}.',
  wellLine: '{label}: in order again.',
} as const
