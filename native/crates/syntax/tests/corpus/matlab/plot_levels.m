% Plots the levels of one day.

%% Reading
gauge = TideGauge("COM3");
levels = arrayfun(@(~) gauge.read(1), 1:144);

%% Plotting
figure
hold on
plot(levels, 'b')
yline(TideGauge.FloodLevel, 'r--');
cleaner = onCleanup(@closeGauge);

function closeGauge()
    delete(instrfind);
end
