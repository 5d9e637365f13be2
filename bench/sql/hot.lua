-- One hot row: transactions that add 1 to it. Run by sysbench; see "One hot row" in BENCHMARKS.md.
sysbench.cmdline.options = { conflicts = {"mode", "wait"} }
function thread_init()
  drv = sysbench.sql.driver(); con = drv:connect()
  con:query("SET weft_conflicts = '" .. sysbench.opt.conflicts .. "'")
end
function event()
  con:query("BEGIN"); con:query("UPDATE hot SET n = n + 1 WHERE id = 1"); con:query("COMMIT")
end
function thread_done() con:disconnect() end

