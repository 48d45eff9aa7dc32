// A picture once more as a table, loaded when somebody opens it.

import { Table } from '@mantine/core'
import { Link } from 'react-router'
import type { BarGroup } from './chart-points.ts'

export function ChartTable({ label, axis, groups }: { label: string; axis: string; groups: readonly BarGroup[] }) {
  return (
    <Table aria-label={label} withRowBorders fz="sm" verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{axis}</Table.Th>
          {groups[0]?.bars.map(({ name }) => (
            <Table.Th key={name} scope="col">
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {groups.map(({ key, name: at, bars }) => (
          <Table.Tr key={key}>
            <Table.Th scope="row" fw={400}>
              {at}
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
