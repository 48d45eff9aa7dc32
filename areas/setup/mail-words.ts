export const mailWords = {
  administrator: {
    subject: 'You administer {name}',
    text: 'Hello {person},\n\nthe tenancy {name} was made and you are its first administrator. Activate your account here; the link works once, for seven days:',
  },
} as const
