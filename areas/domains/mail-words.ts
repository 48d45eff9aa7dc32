export const mailWords = {
  lapsed: {
    subject: 'The domain {name} is proved no longer',
    text: 'The record or file that proves control of {name} was not found in three checks. What is allowed by this domain has stopped. It counts again as soon as the proof is found.',
  },
  missing: {
    subject: 'The proof of {name} is missing',
    text: 'The record or file that proves control of {name} was not found. It is looked for again tomorrow and the day after; then the domain counts no longer.',
  },
} as const
