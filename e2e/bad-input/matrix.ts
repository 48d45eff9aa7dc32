// Prints the matrix: `npm run -s bad-input -- [--all]`. Without --all only what is wrong is listed, under the counts of each class.

import { classes } from './case.ts'
import { runObjects } from './run-objects.ts'
import { openPlace, runRequests } from './run.ts'

const place = await openPlace()
try {
  const rows = [...(await runObjects(place)), ...(await runRequests(place))]
  const short = (text: string, length: number) => text.replaceAll(/\s+/g, ' ').slice(0, length).padEnd(length)
  console.log(
    `${short('class', 16)} ${short('case', 40)} ${short('door', 20)} ${short('outcome', 24)} ${short('issued as asked', 16)} reason`,
  )
  for (const row of rows.filter(({ wrong, issuedAsAsked }) => process.argv.includes('--all') || wrong !== '' || issuedAsAsked !== ''))
    console.log(
      `${short(row.class, 16)} ${short(row.name, 40)} ${short(row.door, 20)} ${short(row.outcome, 24)} ${short(row.issuedAsAsked, 16)} ${row.wrong === '' ? '' : `WRONG: ${row.wrong} `}${row.reason.slice(0, 160)}`,
    )
  console.log('')
  for (const name of classes) {
    const of = rows.filter((row) => row.class === name)
    const count = (test: (row: (typeof rows)[number]) => boolean) => of.filter(test).length
    console.log(
      `${short(name, 18)} cases ${new Set(of.map((row) => row.name)).size}, through doors ${of.length}: refused ${count(({ outcome }) => outcome.startsWith('refused'))}, shown ${count(({ outcome }) => outcome.startsWith('shown'))}, issued by the template alone ${count(({ outcome, issuedAsAsked }) => outcome.startsWith('issued') && issuedAsAsked === '')}, issued as asked ${count(({ issuedAsAsked }) => issuedAsAsked !== '')}, wrong ${count(({ wrong }) => wrong !== '')}`,
    )
  }
  console.log(`dearest case ${Math.max(...rows.map(({ seconds }) => seconds)).toFixed(2)} s of the product's processor time`)
} finally {
  await place.product.stop()
}
