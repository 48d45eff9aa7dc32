export const mailWords = {
  one: { subject: 'Licence ends {left, plural, =0 {today} =1 {tomorrow} other {in # days}}: {what}' },
  many: { subject: '{count} licences end, the first {left, plural, =0 {today} =1 {tomorrow} other {in # days}}' },
  given:
    '{count, plural, one {This is about a licence that {tenancy} has from you.} other {This is about licences that {tenancy} has from you.}}',
  taken:
    '{count, plural, one {This is about a licence that you have from {tenancy}.} other {This is about licences that you have from {tenancy}.}}',
  authority: { name: 'the authority {name}' },
  template: { name: 'the template {name}' },
  authorityEnds:
    'The licence for {what} ends {left, plural, =0 {today} =1 {tomorrow} other {in # days}}, and with it those for its templates: its last day is {until}.',
  templateEnds: 'The licence for {what} ends {left, plural, =0 {today} =1 {tomorrow} other {in # days}}: its last day is {until}.',
  after:
    '{count, plural, one {After that day nothing is issued under it, renewals included. What was issued stays valid, and can be seen and revoked.} other {After that day nothing is issued under them, renewals included. What was issued stays valid, and can be seen and revoked.}}',
} as const
