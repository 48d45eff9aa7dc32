export const mailWords = {
  held: {
    subject: 'On hold: {name}',
    text: 'The certificate for {name}{template} was put on hold by {by}. Whoever verifies it refuses it until it is released. Whoever may revoke certificates here can release it.',
  },
  released: {
    subject: 'Released from hold: {name}',
    text: 'The certificate for {name}{template} was released from hold by {by}. Whoever verifies it accepts it again.',
  },
} as const
