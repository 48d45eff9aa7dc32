export const mailWords = {
  held: {
    subject: '{name} was held back',
    text: "{reason}. Nothing was changed. Where this is meant, take the members out in smaller parts, or delete the group's roles first.",
  },
} as const
