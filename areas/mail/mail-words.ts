export const mailWords = {
  test: { subject: 'Test mail of {name}', text: 'Mail of this tenancy arrives like this one.' },
} as const
