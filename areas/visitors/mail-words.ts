export const mailWords = {
  overstayed: {
    subject: 'Your visitor has not left',
    text: 'Hello {host},\n\nthe visit of {name} has ended, and nobody has recorded that {name} left. Extend the visit, or see your visitor to the door.',
  },
} as const
