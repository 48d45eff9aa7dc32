export const mailWords = {
  awaitingHolder: {
    subject: 'Renew: {name}',
    text: 'The certificate for {name}{template} ends on {end}. Open this page and choose "Renew now". It asks whether the key stays or a new one comes in its place.',
    line: 'The certificate for {name}{template} ends on {end}. Open it and choose "Renew now".',
  },
  awaitingKey: {
    subject: 'A new key is needed: {name}',
    text: 'The certificate for {name}{template} ends on {end}. It is renewed with a new key, which is yours to make: make a certificate request (CSR) from it and send it on this page.',
    line: 'The certificate for {name}{template} ends on {end}. Send a certificate request (CSR) from a new key.',
  },
  collect: {
    subject: 'Renewed, ready to collect: {name}',
    text: 'The certificate for {name}{template} ends on {end}. Its renewal is ready. Collect it with its new key; the key is made at that moment.',
    line: 'The certificate for {name}{template} ends on {end}. Its renewal is ready to collect.',
  },
  many: {
    ready: '{count} certificates are renewed and ready to collect',
    waiting: '{count} certificates wait for you to renew them',
    more: '{count} more are in the list.',
  },
  renewed: {
    subject: 'Renewed by {by}: {name}',
    sameKey: 'The certificate for {name}{template} was renewed by {by}, with the same key. The one before is valid until {end}.',
    newKey: 'The certificate for {name}{template} was renewed by {by}, with a new key. The one before is valid until {end}.',
  },
} as const
