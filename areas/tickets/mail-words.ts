export const mailWords = {
  subject: 'Ticket {id}: {title}',
  wrote: '{by} wrote:\n\n{text}',
  raised: '{by} raised this ticket:\n\n{text}',
  assigned: '{by} assigned this ticket to you.',
  named: '{by} named you:\n\n{text}',
  namedInternally: '{by} named you in an internal note.',
} as const
