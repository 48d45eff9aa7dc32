export const mailWords = {
  overstayed: {
    subject: 'Your visitor has not left',
    text: 'Hello {host},\n\nthe visit of {name} has ended, and nobody has recorded that {name} left. Extend the visit, or see your visitor to the door.',
  },
  /** To reception, and the first also where the host left long ago. */
  hostless: {
    subject: 'Visitors without a host',
    text: '{host} has no account any more, or a disabled one. Visits that were expected are cancelled: {cancelled}. In the house still, each to be seen to the door by somebody else: {here}.',
  },
} as const
