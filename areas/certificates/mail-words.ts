export const mailWords = {
  approval: {
    subject: 'Approval needed: {subject}',
    text: '{requester} asks for a certificate{template} for {subject}. {count, plural, one {One approval is needed.} other {# approvals are needed.}}',
  },
  vote: {
    approve: 'Approved by {voter}.',
    approveWith: 'Approved by {voter}: "{comment}"',
    deny: 'Denied by {voter}.',
    denyWith: 'Denied by {voter}: "{comment}"',
  },
  ready: {
    subject: 'Ready to collect: {subject}',
    text: 'The certificate for {subject} was agreed to. Collect it with its key; the key is made at that moment and kept nowhere.',
    archived:
      'The certificate for {subject} was agreed to. Collect it with its key; the key is made at that moment and a sealed copy is archived.',
  },
  elsewhere: {
    subject: 'Issued elsewhere: {subject}',
    text: 'The certificate for {subject} was issued by another authority and is kept with your request.',
  },
  denied: { subject: 'Request denied: {subject}', text: 'The request for a certificate for {subject} was denied.' },
  failed: {
    subject: 'Certificate not issued: {subject}',
    text: 'Your request for {subject} was agreed to, but could not be issued: {reason}.',
  },
  issued: {
    subject: 'Certificate issued: {name}',
    text: 'The certificate for {name} that you requested was issued by {authority}. It is valid until {end}.',
  },
  renewed: {
    subject: 'Certificate renewed: {name}',
    text: 'The certificate for {name} was renewed by {authority}. It is valid until {end}. Fetch the new one and put it in the place of the old one, which ends soon.',
  },
  expires: {
    subject: 'Expires {days, plural, =0 {today} =1 {tomorrow} other {in # days}}: {name}',
    line: 'The certificate for {name}{template} expires {days, plural, =0 {today} =1 {tomorrow} other {in # days}}, on {end}.',
    many: '{count} certificates expire, the first {days, plural, =0 {today} =1 {tomorrow} other {in # days}}: {name}',
    more: '{count} more are in the list.',
    contact:
      'The certificate for {name} expires {days, plural, =0 {today} =1 {tomorrow} other {in # days}}, on {end}. {tenancy} keeps a list of certificates and names you as the contact for this one.',
  },
} as const
