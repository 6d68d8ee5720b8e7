/**
 * The advisory lock between those who store crossings and an operator who moves a device.
 *
 * A crossing's store is looked up when it is stored. Who stores takes this lock shared, in a statement
 * before the look-up; who changes `device_assignment` takes it exclusively (`pg_advisory_xact_lock`), so
 * that after a move no crossing is stored by what was true before it.
 */
export const assignmentLock = 7_210_311_506;
