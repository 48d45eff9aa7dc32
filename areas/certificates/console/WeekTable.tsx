// The bars once more as a table, loaded when somebody opens it.

import { Table } from '@mantine/core'
import { Link } from 'react-router'
import { t } from '#core/console/text.ts'
import type { Week } from './Bars.tsx'
import { dayText } from './day-text.ts'

export function WeekTable({ label, weeks }: { label: string; weeks: readonly Week[] }) {
  return (
    <Table aria-label={label} withRowBorders fz="sm" verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('Week from')}</Table.Th>
          {weeks[0]?.bars.map(({ name }) => (
            <Table.Th key={name} scope="col">
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {weeks.map(({ from, bars }) => (
          <Table.Tr key={from}>
            <Table.Th scope="row" fw={400}>
              {dayText(from, 'full')}
            </Table.Th>
            {bars.map(({ name, text, count, path }) => (
              <Table.Td key={name}>{count === 0 ? text : <Link to={path}>{text}</Link>}</Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
