// The titles of the documents that come with the product; each stands in its document, too.

export const documentTitles = [
  { title: 'Chancery' },
  { title: 'The house' },
  { title: 'Building in the house' },
  { title: 'Security' },
  { title: 'Changelog' },
  { title: 'ACME clients' },
  { title: 'Backup and restore' },
  { title: 'Choices: where the specification is silent, contradictory or dated' },
  { title: 'Where we differ' },
  { title: 'The life of a request' },
  { title: 'Running Chancery' },
  { title: 'Past one machine' },
  { title: 'How the product is tested' },
] as const
