// A card printer of software that speaks IPP: for machines without one and for tests. It keeps what it printed, and jams when it is told to.

import { attributeOf, decodeIpp, encodeIpp, operations, type IppAttribute } from '#standards/ipp/ipp.ts'
import { say } from '#standards/say/say.ts'
import type { PrinterSource } from './printers.ts'

export type PrintedJob = { id: number; name: string; document: Buffer; state: number; reasons: string[] }
export type VirtualPrinter = PrinterSource & {
  jobs: PrintedJob[]
  /** What becomes of the next jobs, one after another; `print` where nothing is said. `vanish` takes the job and forgets it; `lost` prints and never answers. */
  next: ('print' | 'jam' | 'abort' | 'hold' | 'vanish' | 'lost')[]
  /** A card lies in it. */
  hasCard: boolean
}

const mostKept = 50

export function virtualPrinter(name: string): VirtualPrinter {
  let count = 0
  const answer = (requestId: number, code: number, attributes: readonly IppAttribute[] = []) =>
    encodeIpp({
      code,
      requestId,
      groups: [
        { kind: 'operation', attributes: [{ name: 'attributes-charset', kind: 'charset', values: ['utf-8'] }] },
        ...(attributes.length === 0 ? [] : [{ kind: 'job' as const, attributes }]),
      ],
    })
  const told = ({ id, state, reasons }: PrintedJob): IppAttribute[] => [
    { name: 'job-id', kind: 'integer', values: [id] },
    { name: 'job-state', kind: 'enum', values: [state] },
    { name: 'job-state-reasons', kind: 'keyword', values: reasons },
  ]
  const printer: VirtualPrinter = {
    jobs: [],
    next: [],
    hasCard: false,
    list: () => [{ name, isCardPrinter: true, isVirtual: true }],
    async move(_printer, to) {
      if (to === 'insert' && printer.hasCard) throw new Error(say`There is a card in the printer already`)
      if (to === 'eject' && !printer.hasCard) throw new Error(say`There is no card in the printer`)
      printer.hasCard = to === 'insert'
    },
    async ask(_printer, request) {
      const asked = decodeIpp(request)
      const { requestId } = asked
      if (asked.code === operations.printJob) {
        const fate = printer.next.shift()
        const id = (count += 1)
        const [state, reasons] =
          fate === 'jam'
            ? [6, ['media-jam']]
            : fate === 'abort'
              ? [8, ['aborted-by-system']]
              : fate === 'hold'
                ? [4, ['job-hold-until-specified']]
                : [9, ['job-completed-successfully']]
        const job = { id, name: String(attributeOf(asked, 'job-name')[0] ?? ''), document: asked.data, state, reasons }
        if (fate !== 'vanish') printer.jobs = [...printer.jobs, job].slice(-mostKept)
        if (fate === 'lost') throw new Error(say`The printer did not answer`)
        printer.hasCard = false
        return answer(requestId, 0, told({ ...job, state: 5, reasons: ['job-printing'] }))
      }
      const job = printer.jobs.find(({ id }) => id === attributeOf(asked, 'job-id')[0])
      if (job === undefined) return answer(requestId, 0x0406)
      if (asked.code === operations.cancelJob) Object.assign(job, { state: 7, reasons: ['job-canceled-by-user'] })
      return answer(requestId, 0, told(job))
    },
  }
  return printer
}
