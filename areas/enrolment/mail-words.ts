export const mailWords = {
  ready: {
    subject: 'A certificate is ready for you',
    text: 'Your organisation gives you a certificate ({rule}). Collect it with its key; the key is made at that moment.',
  },
} as const
