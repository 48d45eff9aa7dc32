export const mailWords = {
  reset: {
    subject: 'Reset your secret questions',
    text: 'Hello {name},\n\nopen this link while you are signed in to choose other secret questions. It works once, for {minutes} minutes. If you did not expect it, do nothing: your questions stay as they are.',
  },
  set: {
    subject: 'Your secret questions were set',
    text: 'Hello {name},\n\nyour secret questions were set just now. If that was not you, tell your administrator.',
  },
  changed: {
    subject: 'Your secret questions were changed',
    text: 'Hello {name},\n\nyour secret questions were changed just now. If that was not you, tell your administrator.',
  },
} as const
