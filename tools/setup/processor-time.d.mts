export function processSeconds(pid: number): number
export function treeSeconds(root?: number): number
