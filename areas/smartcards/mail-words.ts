const newPin = 'Your smartcard has a new PIN'

export const mailWords = {
  byAnswers: {
    subject: newPin,
    text: 'Hello {name},\n\nthe PIN of your smartcard {serial} was set anew by the answers to your secret questions. If that was not you, report the card lost at once.',
  },
  byPassphrase: {
    subject: newPin,
    text: 'Hello {name},\n\nthe PIN of your smartcard {serial} was set anew by its passphrase. If that was not you, report the card lost at once.',
  },
} as const
